package proof

import (
	"context"
	"fmt"
	"os/exec"
	"testing"
)

// The interpreter that the packages of Debian are for; another one would not find them.
const python = "/usr/bin/python3"

// What is exported for Python runs with the urllib3 and the tenacity of the system.
func TestPython(t *testing.T) {
	for _, id := range []string{"urllib3", "tenacity"} {
		t.Run(id, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), python, "-c", "import urllib3, "+id).CombinedOutput()
			if err != nil {
				t.Skipf("there is no %s for %s: %v\n%s", id, python, err, out)
			}
			jobs := jobsOf(t, id)
			dir := t.TempDir()
			for i, j := range jobs {
				j.write(t, dir, fmt.Sprint(i)+".py")
			}
			proveAll(t, jobs, func(ctx context.Context, args []string) *exec.Cmd {
				return exec.CommandContext(ctx, python, scriptArgs(t, jobs, "python/run.py", dir, args)...)
			})
		})
	}
}
