//go:build !race

package cli_test

// buildFlags make the program that is tested as the tests are.
var buildFlags []string
