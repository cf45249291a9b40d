package lab_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing a run starts outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
