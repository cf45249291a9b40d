package importer_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCurlInScripts: the word counts where a shell would run it, whatever stands around it.
func TestCurlInScripts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"apt-get install -y curl && curl --retry 5 URL",
		"which curl; command -v curl || exit 1\ncurl --retry 5 URL",
		"type curl >/dev/null 2>&1 && curl --retry 5 URL",
		"STATUS=$(curl --retry 5 -s -o /dev/null -w '%{http_code}' \"$URL\")",
		"STATUS=\"$(curl --retry 5 \"$URL\")\"",
		"echo \"it is `curl --retry 5 'a b'` now\"",
		"x=`curl --retry 5 \\`cat url\\``",
		"(curl --retry 5 URL)",
		"( cd /tmp && curl --retry 5 URL )",
		"{ curl --retry 5 URL; }",
		"get() { curl --retry 5 \"$1\"; }",
		"function get {\n  curl --retry 5 \"$1\"\n}",
		"if ! curl --retry 5 URL; then exit 1; fi",
		"until curl --retry 5 URL; do sleep 1; done",
		"for u in a b; do curl --retry 5 $u; done",
		"case $1 in\n get) curl --retry 5 URL ;;\nesac",
		"A=b C='d e' curl --retry 5 URL",
		"sudo -u me -E curl --retry 5 URL",
		"sudo --user me -- env -u X A=b nice -n 5 timeout -k 5 60 /usr/bin/curl --retry 5 URL",
		"time curl --retry 5 URL",
		"exec curl --retry 5 URL",
		"xargs -n 1 -P 8 curl --retry 5 <urls",
		"bash -c 'curl --retry 5 URL'",
		"sudo sh -euc \"set -x; curl --retry 5 URL\"",
		"bash -o pipefail -c 'curl --retry 5 URL | tar x'",
		"su - me -c 'curl --retry 5 URL'",
		"eval \"curl --retry 5 URL\"",
		"bash <(curl --retry 5 URL)",
		"bash <<'EOF'\ncurl --retry 5 URL\nEOF\n",
		"cat >x <<EOF\nit's curl --retry 9\nEOF\ncurl --retry 5 -d @- URL <<-EOF\n\t{\"it's\": 1}\n\tEOF\n",
		"echo $((1 + (2))) ${X:-a b} $'it\\'s' && curl --retry 5 URL",
		"# curl --retry 9\n\t@curl --retry 5 URL", // a Makefile's
		"RUN --mount=type=cache,target=/x apt-get update && curl --retry 5 URL",
		"RUN curl --retry 5 URL",
		"HEALTHCHECK --interval=5m CMD curl --retry 5 URL || exit 1",
		"*/5 0-6,8 * * 1 curl --retry 5 URL",
		"0 4 * * * root /usr/bin/curl --retry 5 URL",
		"@daily curl --retry 5 URL",
		"- curl --retry 5 URL",
		"run: curl --retry 5 URL",
		"script:\n  - curl --retry 5 URL",
		"me@host:~$ curl --retry 5 URL",
		"curl --retry 5 \\\r\n  URL\r\n",
		"curl.exe --retry 5 `\n  -H \"a: b\" `\r\n  URL\n",
		"curl ^\"https://x/?a=1^&b=2^\" ^\r\n  -H ^\"accept: */*^\" ^\r\n  --data-raw ^\"^{^\\^\"a^\\^\":1^}^\" ^\r\n  --retry 5\r\n",
		"curl \"https://x/?a=1&b=2\" ^\n  -H \"a: it's\" ^\n  --retry 5",
		"C:\\bin\\curl.exe ^\n  --retry 5 URL",
		"curl 'https://x/?a=1&b=2' --retry 5 # & --retry 9",
		"curl https://x/?a=1\\&b=2 --retry 5",
		"curl --retry 5 URL &\nwait",
		"curl --retry 5 URL 2>&1 &>log >|out",
		"curl --retry 5 -- URL",
	} {
		if r, err := read(t, "curl", text); err != nil || r.Policy.Attempts != 6 {
			t.Errorf("%q: %v, %s", text, err, r.Policy)
		} else if strings.Contains(strings.Join(r.Ignored, " "), "wants quotes") {
			t.Errorf("%q: %q", text, r.Ignored)
		}
	}
}

// TestCurlIsNotThere: a script that runs none is refused, and says where the word stands.
func TestCurlIsNotThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"apt-get install -y curl", "no curl command stands there: there the word is an argument of apt-get"},
		{"command -v curl", "an argument of command"},
		{"echo 'curl --retry 3'", "no curl command stands there"},
		{"cat <<EOF\ncurl --retry 3\nEOF", "no curl command stands there"},
		{"x=$(curl --retry 3", "a $( or a backquote is not closed"},
		{"x=`curl --retry 3", "a $( or a backquote is not closed"},
		{"curl ${X --retry 3", "is not closed"},
		{"curl \"$(echo 'x)\"", "a quote is not closed"},
		{strings.Repeat("$(", 100) + "curl" + strings.Repeat(")", 100), "too deep"},
		{"eval eval 'echo curl'", "an argument of echo"},
		{"for curl in a; do true; done", "no curl command stands there"},
	} {
		if _, err := read(t, "curl", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestCurlOptionsAsTyped: what curl takes for an option is read as it takes it, and what it does not take is said.
func TestCurlOptionsAsTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args    string
		want    string
		ignored string // some of the lines
	}{
		{"--retry=5", "attempts=6", "that a curl before 8.16 refuses --retry="},
		{"--retry=5 --header=secret", "attempts=6", "--header"},
		{"--retry 5 --retry-del 3", "base=3s", "that a curl from 8.6 on refuses --retry-del: an older one reads it as --retry-delay"},
		{"--retry 5 --max-t 2", "attempt-timeout=2s", "an older one reads it as --max-time"},
		{"--retry 5 --no-retry-all", "attempts=6", "--no-retry-all: no option that is known here"},
		{"--retry 5 --frobnicate 3", "attempts=6", "--frobnicate: no option that is known here, nor whether it takes the next word"},
		{"--retry 5 --frobnicate=3", "attempts=6", "--frobnicate: no option that is known here"},
		{"--retry 5 $OPTS $URL \"${MORE[@]}\"", "attempts=6", "$OPTS, with the options that it may hold\n$URL, with the options that it may hold\n${MORE[@]}, with the options that it may hold"},
		{"--retry 5 $(options secret)", "attempts=6", "a command's output, with the options that it may hold"},
		{"--retry 5 -- --retry 9", "attempts=6", "the URL"},
		{"x?a=1&b=2 --retry 9", "attempts=1", "--retry behind an unquoted &, which ends the command: the URL wants quotes"},
		{"x?a=1&b=2", "attempts=1", "what stands behind an unquoted &, which ends the command: the URL wants quotes"},
		{"x \\ \n  --retry 9 -m5", "attempts=1", "--retry -m: on a line that is a command of its own, for the one before it does not go on"},
	} {
		r, err := read(t, "curl", "curl "+c.args)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		want := r.Policy
		name, value, _ := strings.Cut(c.want, "=")
		if err := want.Set(name, value); err != nil || want != r.Policy {
			t.Errorf("%s: %v, no %s in %s", c.args, err, c.want, r.Policy)
		}
		got := sortedLines(r.Ignored)
		for w := range strings.SplitSeq(c.ignored, "\n") {
			if !strings.Contains(got, w) {
				t.Errorf("%s: not read %q, no %q", c.args, got, w)
			}
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%s: %q", c.args, got)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"–retry 3", "an en dash (U+2013) stands where curl wants --retry"},
		{"—retry 3", "an em dash (U+2014) stands where curl wants --retry"},
		{"-–retry 3", "an en dash (U+2013) stands where curl wants --retry"},
		{"--retry–delay 3", "an en dash (U+2013) stands where curl wants --retry-delay"},
		{"–s --retry 3", "an en dash (U+2013) stands where curl wants -s"},
		{"−−retry=3", "a minus sign (U+2212) stands where curl wants --retry:"},
		{"--retry\u00a03", "a blank that does not break (U+00A0)"},
		{"-H “a: b” --retry 3", "a curly quote (U+201D)"},
		{"‘x’ --retry 3", "a curly quote (U+2018) stands where a shell wants '"},
		{"--retr 3", "--retr: which of --retry --retry-all-errors --retry-connrefused --retry-delay --retry-max-time?"},
		{"--retry-del=3", "a curl that takes a = takes whole names alone: --retry-delay"},
		{"--no-retry 3", "--no-retry: curl takes no-"},
		{"--fail=1", "--fail=: it takes no value"},
		{"--retry $N", "--retry=$N: a whole number"},
		{"--retry=", "--retry: a whole number"},
	} {
		if _, err := read(t, "curl", "curl "+c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
	if r, err := read(t, "curl", "curl -d ‘–’ -H '“a”' --retry 3 'x–y'"); err != nil || r.Policy.Attempts != 4 {
		t.Errorf("a value holds what it likes: %v, %s", err, r.Policy)
	}
}

// TestCurlPartsOfOptions: a part of an option is taken, refused or not known as the real curl has it, where it is one that
// takes parts.
func TestCurlPartsOfOptions(t *testing.T) { // not beside those that measure waits
	says := func(part string) string {
		out, err := exec.CommandContext(t.Context(), "curl", "--"+part, "3", "--no-such-option").CombinedOutput()
		if err == nil {
			t.Errorf("--%s: curl took an option that there is not", part)
		}
		for _, word := range []string{"ambiguous", "unknown"} {
			if strings.Contains(string(out), "--"+part+": is "+word) {
				return word
			}
		}
		return "taken"
	}
	if _, err := exec.LookPath("curl"); err != nil || says("retry-del") != "taken" {
		t.Skip("there is no curl that takes parts of options")
	}
	seen := map[string]bool{}
	for _, name := range []string{"retry-delay", "retry-max-time", "retry-connrefused", "retry-all-errors", "max-time", "fail-with-body", "no-retry-all-errors", "silent"} {
		for k := 2; k <= len(name); k++ {
			part := name[:k]
			if seen[part] || part == "no-" || part == "no-retry" {
				continue
			}
			seen[part] = true
			r, err := read(t, "curl", "curl --"+part+" 3 x")
			ours := "taken"
			if err != nil && strings.Contains(err.Error(), "which of") {
				ours = "ambiguous"
			} else if strings.Contains(strings.Join(r.Ignored, "\n"), "no option that is known here") {
				ours = "unknown"
			}
			if theirs := says(part); ours != theirs {
				t.Errorf("--%s: %s, to curl it is %s (%v)", part, ours, theirs, err)
			}
		}
	}
}
