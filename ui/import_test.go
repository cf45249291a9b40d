package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/importer"
)

// tomlPolicy is a policy file of one knob, enough for these tests.
func tomlPolicy(text string) (engine.Policy, error) {
	if !strings.HasPrefix(text, "attempts = 9") {
		return engine.Policy{}, errTest
	}
	p := engine.Default()
	p.Attempts = 9
	return p, nil
}

// Each language is found out from what is written in it, and comes to what the importer says.
func TestLanguagesAreFoundOut(t *testing.T) {
	t.Parallel()
	langs := importLangs(tomlPolicy)
	p := parsePolicy(t, "attempts=5 retry-on=503,reset")
	texts := map[string]string{tomlLang: "attempts = 9\n"}
	for _, f := range importer.Formats() {
		out, ok := export.Get(f.ID)
		if !ok {
			t.Fatalf("no export to %s", f.ID)
		}
		r, err := out.Export(p)
		if err != nil {
			t.Fatal(err)
		}
		text := r.Text
		if f.ID == "curl" { // a command line has no comments
			text = text[strings.Index(text, "curl"):]
			text = text[strings.LastIndex(text, "\ncurl")+1:]
		}
		texts[f.ID] = text
	}
	for id, text := range texts {
		at, r, err := readAs(langs, -1, text)
		if err != nil || langs[at].id != id {
			t.Errorf("%s is read as %d, %v:\n%s", id, at, err, text)
			continue
		}
		want, err := langs[at].read(text)
		if err != nil || want.Policy != r.Policy {
			t.Errorf("%s: %v, and not %v", id, r.Policy, want.Policy)
		}
	}
	for _, c := range []struct{ text, id string }{
		{"carom attempts=6", "line"},
		{"attempts=3\nbase=1s", "line"},
		{"  curl -sS --retry 3 x", "curl"},
		{"/usr/bin/curl --retry 1 x", "curl"},
		{`{"methodConfig":[{"retryPolicy":{"maxAttempts":3,"initialBackoff":"1s","maxBackoff":"2s","backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}}]}`, "grpc"},
		{"retry_policy:\n  retry_on: 5xx\n  num_retries: 2\n", "envoy"},
	} {
		if at, _, err := readAs(langs, -1, c.text); err != nil || langs[at].id != c.id {
			t.Errorf("%q is read as %d, %v", c.text, at, err)
		}
	}
	for _, text := range []string{"hello", "a: b", "{", "maxBackoff=3s", "x\ny"} {
		if at, _, err := readAs(langs, -1, text); err == nil || at < 0 {
			t.Errorf("%q is read as %d", text, at)
		}
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	before := screen(t, m)
	press(m, "I")
	wants(t, m, "┌─ Import", "Paste or type one line of text, a curl command line")
	typeText(m, "curl --retry 5 --retry-delay 2 --compressed https://a.test/")
	wants(t, m, "a curl command line (found out)", "2 things in it have no place in the policy:", "! --compressed", "! the URL", "policy: attempts=6 base=2s",
		"imported", "3 attempts of 6", "✗ failed") // on the timeline, before it is taken
	press(m, "esc")
	if after := screen(t, m); after != before {
		t.Errorf("esc does not restore:\n%s", after)
	}
	press(m, "I")
	m.Update(tea.PasteMsg{Content: "curl --retry 5 \\\r\n  --retry-delay 2 https://a.test/\r\n"})
	wants(t, m, "1 thing in it has no place in the policy:")
	press(m, "enter")
	wantsNot(t, m, "┌─")
	wants(t, m, "imported  seed 42", "attempts       ‹ 6 ›")
	if m.doc.policy.Base.Seconds() != 2 || m.doc.label() != "imported" || len(m.hist.past) != 1 {
		t.Errorf("%s: %s", m.doc.label(), m.doc.policy)
	}
	press(m, "u")
	wants(t, m, "taken back: import of a curl command line", "default  seed 42", "✓ succeeded")
	press(m, "ctrl+r")
	wants(t, m, "imported  seed 42")
}

// What is wrong is said, the timeline shows the old policy again, and enter takes nothing.
func TestImportOfSomethingElse(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "I")
	typeText(m, "attempts=9")
	wants(t, m, "4 attempts of 9", "all of it is in the policy")
	typeText(m, " maxBackoff=3s")
	wants(t, m, "maxBackoff: here cap", "4 attempts of 4")
	press(m, "enter")
	wants(t, m, "┌─ Import")
	// Read as another language it says what that makes of it.
	press(m, "tab", "tab", "tab")
	wants(t, m, "language  a gRPC service config")
	press(m, "shift+tab", "shift+tab", "shift+tab")
	wants(t, m, "maxBackoff: here cap")
	for range len("maxBackoff=3s") {
		press(m, "backspace")
	}
	press(m, "enter")
	if m.doc.policy.Attempts != 9 {
		t.Errorf("%s", m.doc.policy)
	}
}

const grpcConfig = `{
  "methodConfig": [{
    "retryPolicy": {
      "maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"], "hello": 1
    }
  }]
}
`

const resilienceConfig = `resilience4j.retry:
  instances:
    billing:
      maxAttempts: 3
      waitDuration: 300ms
`

func TestImportOfAFile(t *testing.T) {
	t.Parallel()
	files := map[string]string{"/etc/svc.json": grpcConfig, "/etc/empty.json": " \n", "/etc/other.json": "hello: {"}
	change := func(o *Options) {
		o.TOML = tomlPolicy
		o.Read = func(path string) (string, error) {
			if text, ok := files[path]; ok {
				return text, nil
			}
			return "", errTest
		}
		o.List = func() ([]string, error) { return []string{"mine"}, nil }
		o.Open = func(string) (engine.Policy, error) { return engine.Default(), nil }
	}
	m := newScreen(t, 80, 24, change)
	press(m, "I")
	typeText(m, "/etc/none")
	wants(t, m, "enter reads the file /etc/none")
	settle(m, press(m, "enter"))
	wants(t, m, "the disk is full", "enter reads the file /etc/none")
	for _, path := range []string{"/etc/empty.json", "/etc/other.json"} {
		press(m, "ctrl+u")
		typeText(m, path)
		settle(m, press(m, "enter"))
		wants(t, m, "read from "+path, "4 attempts of 4")
		press(m, "enter")
		wants(t, m, "┌─ Import")
	}
	press(m, "ctrl+u")
	typeText(m, "/etc/svc.json")
	settle(m, press(m, "enter"))
	wants(t, m, "read from /etc/svc.json", "a gRPC service config (found out)", "! ", "hello", "of 3")
	press(m, "enter")
	wants(t, m, "svc  seed 42")
	if m.doc.policy.Attempts != 3 {
		t.Errorf("%s", m.doc.policy)
	}
	// From the saved policies, by its path, or by the line for it.
	m = newScreen(t, 80, 24, change)
	settle(m, press(m, "o"))
	wants(t, m, "mine", "import")
	typeText(m, "/etc/svc.json")
	settle(m, press(m, "enter"))
	wants(t, m, "┌─ Import", "read from /etc/svc.json", "of 3")
	press(m, "esc")
	settle(m, press(m, "o"))
	press(m, "end", "enter")
	wants(t, m, "┌─ Import", "Paste or type")
	press(m, "esc")
	settle(m, press(m, "o"))
	press(m, "enter") // the first is a policy as before
	wantsNot(t, m, "┌─ Import")
}

// A text that is pasted into a search, and is more than a name, is read as a policy.
func TestImportByPaste(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"p", "o"} {
		m := newScreen(t, 80, 24, func(o *Options) {
			o.Open = func(string) (engine.Policy, error) { return engine.Default(), nil }
		})
		settle(m, press(m, open))
		// A terminal sends a line break as the key enter does.
		m.Update(tea.PasteMsg{Content: strings.ReplaceAll(resilienceConfig, "\n", "\r")})
		wants(t, m, "┌─ Import", "a Resilience4j configuration, as YAML (found out)", "of 3")
		press(m, "enter")
		if m.doc.policy.Attempts != 3 || len(m.dialogs) != 0 {
			t.Errorf("%s: %s", open, m.doc.policy)
		}
	}
	m := newScreen(t, 80, 24)
	press(m, "p", "ctrl+o")
	wants(t, m, "┌─ Import", "default  seed 42")
	// A paste too long to be edited is read all the same, and typing begins anew.
	m.Update(tea.PasteMsg{Content: strings.Replace(grpcConfig, "hello", strings.Repeat("x", mostTyped), 1)})
	wants(t, m, "pasted: ", " bytes", "a gRPC service config (found out)")
	m.Update(tea.PasteMsg{Content: strings.ReplaceAll(resilienceConfig+strings.Repeat("# comment\n", mostTyped/10), "\n", "\r")})
	wants(t, m, "pasted: ", "a Resilience4j configuration, as YAML (found out)", "of 3")
	m.Update(tea.PasteMsg{Content: grpcConfig + strings.Repeat(" ", mostRead)})
	wants(t, m, "pasted: ", "too large for a policy", "4 attempts of 4")
	typeText(m, "a")
	wantsNot(t, m, "pasted: ")
	typeText(m, "ttempts=2")
	wants(t, m, "of 2")
}
