package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/retryscope/retryscope/presets"
)

var write = flag.Bool("write", false, "write results.json and docs/PRESETS.md")

const (
	resultsFile = "../results.json"
	docFile     = "../../docs/PRESETS.md"
)

// row is one line of the table.
type row struct {
	Preset  string `json:"preset"`
	Client  string `json:"client"`
	Version string `json:"version"`
	Check   string `json:"check"`
	Ours    string `json:"ours"`
	Theirs  string `json:"theirs"`
	Verdict string `json:"verdict"` // same, or named where the preset says the difference
	Named   string `json:"named,omitempty"`
}

// The verdicts; open is a difference that nothing explains.
const (
	verdictSame  = "same"
	verdictNamed = "named"
	verdictOpen  = "open"
)

// table collects the rows of every client.
type table struct {
	mu   sync.Mutex
	rows []row
	// absent are presets whose client could not be installed.
	absent map[string]bool
	// failed, if not nil, hears of an open difference in place of the test.
	failed func(error)
}

func (tb *table) add(r *row) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.rows = append(tb.rows, *r)
}

// sorted is the table by client, the checks of each in the order they were made.
func (tb *table) sorted() []row {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	out := slices.Clone(tb.rows)
	slices.SortStableFunc(out, func(a, b row) int { return strings.Compare(a.Preset, b.Preset) })
	return out
}

// compare adds the verdict of one check, and fails where it is open.
func (tb *table) compare(t *testing.T, c *client, version, check, ours, theirs string, same bool) {
	t.Helper()
	p, ok := presets.Get(c.preset)
	if !ok {
		t.Fatalf("%s is no preset", c.preset)
	}
	r := row{Preset: c.preset, Client: p.Library, Version: version, Check: check, Ours: ours, Theirs: theirs}
	if err := r.judge(&p, c.named[check], same); err != nil && tb.failed == nil {
		t.Error(err)
	} else if err != nil {
		tb.failed(err)
	}
	tb.add(&r)
}

// judge gives the verdict: a difference has to be named by the preset in these words, and one that is named has to be
// there.
func (r *row) judge(p *presets.Preset, words string, same bool) error {
	r.Verdict = verdictSame
	switch {
	case same && words != "" && !slices.Contains(tools, p.Library): // a tool is as old as its machine
		return fmt.Errorf("%s: %s: said to differ (%q) and does not: %s", r.Preset, r.Check, words, r.Ours)
	case same:
		return nil
	}
	if r.Named = said(p, words); r.Named != "" {
		r.Verdict = verdictNamed
		return nil
	}
	r.Verdict = verdictOpen
	return fmt.Errorf("%s %s: %s: ours %s, theirs %s; named %q", r.Preset, r.Version, r.Check, r.Ours, r.Theirs, words)
}

// said are the preset's own sentences that hold the words; several of them stand between bars, and each has to be held.
func said(p *presets.Preset, words string) string {
	var out []string
	for word := range strings.SplitSeq(words, "|") {
		i := slices.IndexFunc(append(slices.Clone(p.CannotSay), p.Notes), func(s string) bool { return word != "" && strings.Contains(s, word) })
		if i < 0 {
			return ""
		}
		out = append(out, append(slices.Clone(p.CannotSay), p.Notes)[i])
	}
	return strings.Join(out, " ")
}

// measured are figures that chance changes from run to run.
var measured = regexp.MustCompile(`(\d+(\.\d+)?(ns|µs|ms|s|m|h))+`)

// finish writes the table, or compares it with the one that is kept.
func (tb *table) finish(t *testing.T) {
	rows := tb.sorted()
	if t.Failed() {
		return
	}
	kept := readKept(t)
	if *write {
		save(t, tb.withMissing(rows, kept))
		return
	}
	have := map[string]row{}
	for i := range kept {
		have[kept[i].Preset+"/"+kept[i].Check] = kept[i]
	}
	for i := range rows {
		r := rows[i]
		key := r.Preset + "/" + r.Check
		k, ok := have[key]
		delete(have, key)
		// A tool of this machine may be another version than the one that was kept.
		if slices.Contains(tools, r.Client) && k.Version != r.Version {
			continue
		}
		if !ok || k.Verdict != r.Verdict || k.Ours != r.Ours ||
			measured.ReplaceAllString(k.Theirs, "#") != measured.ReplaceAllString(r.Theirs, "#") {
			t.Errorf("%s: kept %+v, found %+v (make conformance writes it anew)", key, k, r)
		}
	}
	for key := range have {
		if r := have[key]; !tb.mayBeMissing(&r) {
			t.Errorf("%s is kept and was not checked", key)
		}
	}
}

func readKept(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	var kept []row
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	return kept
}

// withMissing adds what is kept of the tools that are not on this machine.
func (tb *table) withMissing(rows, kept []row) []row {
	found := map[string]bool{}
	for i := range rows {
		found[rows[i].Preset] = true
	}
	out := slices.Clone(rows)
	for i := range kept {
		if !found[kept[i].Preset] && tb.mayBeMissing(&kept[i]) {
			out = append(out, kept[i])
		}
	}
	slices.SortStableFunc(out, func(a, b row) int { return strings.Compare(a.Preset, b.Preset) })
	return out
}

// mayBeMissing says whether a client that was checked before may be absent on this machine: a tool, or one that could not
// be installed.
func (tb *table) mayBeMissing(r *row) bool {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	return slices.Contains(tools, r.Client) || tb.absent[r.Preset]
}

// left tells that a client could not be had.
func (tb *table) left(preset string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if tb.absent == nil {
		tb.absent = map[string]bool{}
	}
	tb.absent[preset] = true
}

// tools are the clients that the machine brings, binaries and the libraries of Python: they may be missing, and are as
// old as it is.
var tools = []string{"curl", "GNU wget", "botocore", "requests", "tenacity", "urllib3"}

func save(t *testing.T, rows []row) {
	t.Helper()
	var b strings.Builder
	b.WriteString("[\n")
	for i := range rows {
		line, err := json.Marshal(&rows[i])
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		if i < len(rows)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	if err := os.WriteFile(resultsFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(docFile, []byte(document(rows)), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		r := &rows[i]
		t.Logf("%-24s %-12s %-22s %-34s %-34s %s", r.Preset, r.Version, r.Check, r.Ours, r.Theirs, r.Verdict)
	}
}

func document(rows []row) string {
	var b strings.Builder
	clients := map[string]bool{}
	count := map[string]int{}
	for i := range rows {
		clients[rows[i].Preset] = true
		count[rows[i].Verdict]++
	}
	fmt.Fprintf(&b, "# Presets, checked against the real clients\n\n")
	fmt.Fprintf(&b, "%d of the %d presets were compared with the real client: both were given the same answers, the client in its own\n", len(clients), len(presets.All()))
	b.WriteString("code, the engine under the preset. `make conformance` runs it again and writes this page and `presets/results.json`.\n\n")
	b.WriteString("- **attempts**: sends where every answer fails (`6 or more`: it was stopped there).\n")
	b.WriteString("- **wait N**: the shortest and longest wait before retry N over 400 runs, 20 where there is no jitter. Ours is what the\n  policy allows; theirs has to lie inside and fill 95 % of it.\n")
	b.WriteString("- **clock**: when it gives up for the time alone.\n")
	b.WriteString("- **statuses**, **methods**: each status from 400 to 599 once, and each method.\n")
	b.WriteString("- **Retry-After**: what one such header on the first answer does.\n")
	b.WriteString("- **end**: whether the caller can still tell the last failure.\n")
	b.WriteString("- **broken connection**, **refused connection**: sends where every one fails in that way, and the methods that are sent\n  again at all.\n")
	b.WriteString("- **codes**: for gRPC, which codes are sent again; ours is the status that Google gives each.\n")
	b.WriteString("- **permanent**: sends where the error is marked as one not to retry.\n\n")
	fmt.Fprintf(&b, "%d checks came out the same; %d differ as the preset itself says, below the table in its words.\n", count[verdictSame], count[verdictNamed])
	for i := range rows {
		r := &rows[i]
		if i == 0 || rows[i-1].Preset != r.Preset {
			fmt.Fprintf(&b, "\n## %s: %s %s\n\n| check | ours | theirs | verdict |\n|---|---|---|---|\n", r.Preset, r.Client, r.Version)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Check, r.Ours, r.Theirs, r.Verdict)
		if i == len(rows)-1 || rows[i+1].Preset != r.Preset {
			b.WriteString(named(rows, r.Preset))
		}
	}
	b.WriteString("\n## Left out\n\nClients that were looked at and have no preset, and why.\n\n")
	for _, m := range presets.LeftOut() {
		fmt.Fprintf(&b, "- %s: %s.\n", m.Client, m.Why)
	}
	return b.String()
}

// The page is made of what is kept, and who is left out stands on it (-write writes it anew).
func TestConformancePage(t *testing.T) {
	want := document(readKept(t))
	if *write {
		if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(docFile); err != nil || string(got) != want {
		t.Errorf("%s is not what is kept (%v): make conformance writes it", docFile, err)
	}
	for _, m := range presets.LeftOut() {
		if !strings.Contains(want, "\n- "+m.Client+": "+m.Why+".\n") {
			t.Errorf("%s is not on the page", m.Client)
		}
	}
}

// named lists what the preset says about its differences, each sentence once.
func named(rows []row, preset string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for i := range rows {
		if r := &rows[i]; r.Preset == preset && r.Named != "" && !seen[r.Named] {
			if len(seen) == 0 {
				b.WriteByte('\n')
			}
			seen[r.Named] = true
			fmt.Fprintf(&b, "- %s\n", r.Named)
		}
	}
	return b.String()
}
