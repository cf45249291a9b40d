package conformance

import "testing"

func checkTools(t *testing.T, tb *table) {}
