package cli_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// program is the built binary, made once: what is tested is what is shipped.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	given := func(name string) string { return flag.Lookup(name).Value.String() }
	if given("test.fuzzworker") == "true" { // it runs a fuzz target, and none of them runs the program
		os.Exit(m.Run())
	}
	if given("test.fuzz") == "" && given("test.parallel") == strconv.Itoa(runtime.GOMAXPROCS(0)) { // as it is by itself
		_ = flag.Set("test.parallel", "8") // these tests wait most of their time, for another process
	}
	// What ignores a signal hands that on to whom it starts, and the program leaves ignored signals ignored. A signal that
	// is listened for is the default one again in a child, however these tests were started.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		if s, ok := (<-heard).(syscall.Signal); ok {
			os.Exit(128 + int(s))
		}
	}()
	os.Exit(withProgram(m.Run))
}

func withProgram(run func() int) int {
	dir, err := os.MkdirTemp("", "retryscope-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a directory of the system's own for such
	program = filepath.Join(dir, "retryscope")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../..")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		return 1
	}
	return run()
}
