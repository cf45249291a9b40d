package importer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// scripts are ways in which a curl stands in a script, in place of the %.
var scripts = []string{
	"%", "(%)", "{ %; }", "x=$(%\n)", "x=\"$(%\n)\"", "x=`%\n`", "if %; then :; fi", "if ! %; then :; fi", "until %; do :; done",
	"install curl && %", "install -y curl; %", "command -v curl >/dev/null && %", "env A=b %", "command %", "time %", "exec %", "! %",
	"f() { %\n}\nf", "function f {\n%\n}\nf", "for i in 1; do %; done", "case a in a) %\n;; esac", "case curl in x) ;; *) %\n esac",
	"# it's `\n%", "echo \"it's\" '$(' >/dev/null; %", "cat >/dev/null <<X\ncurl --retry 9\nX\n%", "nice -n 5 timeout -k 1 5 %",
	"eval \"true\"; %", "cat <(%\n) >/dev/null; wait", "true && \\\n%", "true;# x\n%", "[[ a < b ]] && %", "((1)) && %", "a=(1 2); %",
	"bash -c '%'", "sh -ec \"%\"", "bash <<'X'\n%\nX\n", "echo ${x:-'}'} >/dev/null; %",
}

// curls are ways to write what it is told: four retries, an address.
var curls = []string{
	"curl --retry 4 http://x/", "curl --re\"try\" \"4\" \\\n -s http://x/#a", "curl http://x/\\?a=1\\&b --retry '4'", "curl -d 'x\"y' --retry 4 'http://x/?a=1&b=2'",
	"curl -H \"a: --retry 9\" --retry 4 \"a\\\"b\\\\c\"", "X=1 Y='2 3' curl --retry 4 $'it\\'s' 2>&1", "</dev/null curl --retry 4 \"$(echo a b)\" >/dev/null",
	"curl --retry 4 \"`echo 'c d'`\" | cat", "curl --retry 4 \"${X:-y z}\" a$((1+2))b || true", "curl --retry 4 x <<E\nit's \"x\nE", "curl --retry 4 x <<-'E'\n\t`$(\n\tE\n",
	"curl --retry 4 x <<<'x y'", "curl http://x?a&b=1 --retry 9", "curl --retry 4 x & wait",
}

// TestCurlAsBashRunsIt: what a real shell hands to the first curl that it starts is what is read.
func TestCurlAsBashRunsIt(t *testing.T) { // not beside those that measure waits
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	for name, body := range map[string]string{"curl": "#!" + bash + "\nprintf '%s\\n' \"$@\" >\"$LOG.$$\"; ln \"$LOG.$$\" \"$LOG\" 2>/dev/null; exit 0\n", "install": "#!" + bash + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o700); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
	}
	ran := 0
	for i, way := range scripts {
		for k := range 3 {
			curl := curls[(i*3+k*5)%len(curls)]
			if strings.HasPrefix(way, "bash -c") && strings.Contains(curl, "'") || strings.HasPrefix(way, "sh -ec") && strings.ContainsAny(curl, "\"$`\\") {
				continue
			}
			script := strings.Replace(way, "%", curl, 1)
			log := filepath.Join(dir, strconv.Itoa(i)+"-"+strconv.Itoa(k))
			c := exec.CommandContext(t.Context(), bash, "-c", script)
			c.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "LOG=" + log}
			out, _ := c.CombinedOutput() // of some the status says no
			args, err := os.ReadFile(log)
			if err != nil { // bash does not take every one together with every other
				t.Logf("%q: no curl ran: %s", script, out)
				continue
			}
			ran++
			want := "1"
			if _, n, ok := strings.Cut("\n"+string(args), "\n--retry\n"); ok {
				n, _, _ = strings.Cut(n, "\n")
				retries, _ := strconv.Atoi(n)
				want = strconv.Itoa(retries + 1)
			}
			r, err := read(t, "curl", script)
			if got, _ := r.Policy.Get("attempts"); err != nil || got != want {
				t.Errorf("%q: attempts=%s, %v; bash hands it %q", script, got, err, args)
			}
		}
	}
	if least := len(scripts) * 5 / 2; ran < least {
		t.Errorf("%d scripts ran, %d at least should have", ran, least)
	}
}
