package proof

import (
	"os"
	"os/exec"
	"testing"
)

// A script whose test is no more ends: the other end of its standard input is closed, as it is when a process ends.
func TestScriptsEndWithTheTest(t *testing.T) {
	dir := t.TempDir()
	const hangs = "export const client = {}; await new Promise(() => setInterval(() => {}, 1000));"
	if err := os.WriteFile(dir+"/0.mjs", []byte(hangs), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/0.py", []byte("import time\nwhile True:\n    time.sleep(1)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"node", "js/run.mjs", dir, "0", "got", "GET", "http://127.0.0.1:1"},
		{"node", "js/timers.mjs", dir, "0", "got", "false", "false"},
		{python, "python/run.py", dir, "0", "urllib3", "GET", "http://127.0.0.1:1"},
	} {
		program, err := exec.LookPath(args[0])
		if err != nil {
			t.Logf("there is no %s", args[0])
			continue
		}
		c := exec.CommandContext(t.Context(), program, args[1:]...)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil { // for ever, if it does not end
			t.Errorf("%q ended well", args)
		}
	}
}
