package script_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/retryscope/retryscope/script"
)

func position(f *script.Error) string {
	return fmt.Sprintf("%d:%d:%d-%d", f.Step, f.Line, f.Column, f.EndColumn)
}

func mustParse(t testing.TB, text string) *script.Script {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStepFor(t *testing.T) {
	t.Parallel()
	type ask struct {
		n    int
		at   time.Duration
		u    float64
		want int
	}
	tests := []struct {
		text string
		asks []ask
	}{
		{"503", []ask{{n: 1}, {n: 2}, {n: math.MaxInt}, {n: 0}, {n: -5}}},
		{"503 x2, reset, 200", []ask{
			{n: 0},
			{n: 1},
			{n: 2},
			{n: 3, want: 1},
			{n: 4, want: 2},
			{n: 5, want: 2},
			{n: 1_000_000_000, want: 2},
			{n: 1, at: time.Hour, u: 0.99}, // of no matter here
		}},
		{"@0s 503, @3s 200, @5s 429", []ask{
			{at: -time.Second},
			{at: 0},
			{at: 3*time.Second - 1},
			{at: 3 * time.Second, want: 1},
			{at: 5*time.Second - 1, want: 1},
			{at: 5 * time.Second, want: 2},
			{at: math.MaxInt64, want: 2},
			{n: 99, u: 0.99},
		}},
		{"70% 200, 20% 503, 0% eof, 10% hang, 0% reset", []ask{
			{u: 0},
			{u: 0.5},
			{u: 0.69999},
			{u: 0.7, want: 1},
			{u: 0.89999, want: 1},
			{u: 0.9, want: 3},
			{u: math.Nextafter(1, 0), want: 3},
			{u: 1, want: 3},
			{u: 7, want: 3},
			{u: math.Inf(1), want: 3},
			{u: -1},
			{u: math.NaN()},
			{u: 0.1, n: 99, at: time.Hour},
		}},
		{"0% 200, 100% 503", []ask{{u: 0, want: 1}, {u: 0.999, want: 1}}},
	}
	for _, tt := range tests {
		s := mustParse(t, tt.text)
		for _, a := range tt.asks {
			i, step := s.StepFor(a.n, a.at, a.u)
			if i != a.want || !reflect.DeepEqual(step, s.Step(i)) {
				t.Errorf("%s: request %d at %v, draw %v: step %d %v, want %d", tt.text, a.n, a.at, a.u, i, step, a.want)
			}
		}
	}
}

// Over evenly spread draws every step comes as often as its share says.
func TestChanceLaw(t *testing.T) {
	t.Parallel()
	s := mustParse(t, "12.5% 200, 0.1% 503, 87.4% reset")
	const draws = 100_000
	got := make([]int, s.Len())
	for k := range draws {
		i, _ := s.StepFor(1, 0, (float64(k)+0.5)/draws)
		got[i]++
	}
	if want := []int{12_500, 100, 87_400}; !reflect.DeepEqual(got, want) {
		t.Errorf("drawn %v, want %v", got, want)
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	s := mustParse(t, "503 x2 ,  429 reason=\"ö, b\" # c\n\n\treset,")
	want := []script.Span{{Line: 1, Column: 1, EndColumn: 7}, {Line: 1, Column: 11, EndColumn: 28}, {Line: 3, Column: 2, EndColumn: 7}}
	for i, w := range want {
		if s.Span(i) != w {
			t.Errorf("step %d at %+v, want %+v", i+1, s.Span(i), w)
		}
	}
}

// What a script gives out can be changed without changing the script.
func TestScriptNeverChanges(t *testing.T) {
	t.Parallel()
	s := mustParse(t, "503 header=A:b")
	s.Step(0).Headers[0].Name = "changed"
	_, step := s.StepFor(1, 0, 0)
	step.Headers[0].Value = "changed"
	if got := s.String(); got != `503 header="A: b"` {
		t.Errorf("now %s", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(script.ByCount, script.ByTime, script.ByChance, script.Mode(9)); got != "count time chance Mode(9)" {
		t.Error(got)
	}
	if got := fmt.Sprint(script.Status, script.BadJSON, script.Kind(99)); got != "status badjson Kind(99)" {
		t.Error(got)
	}
	if got := fmt.Sprint(script.Share(500_000), script.FullShare, script.Share(1)); got != "0.5% 100% 0.000001%" {
		t.Error(got)
	}
}

// FuzzParse holds two laws: a script printed and parsed again is the same and
// prints the same; a fault names a place inside the text, and its message and
// the canonical text hold nothing a terminal would act on.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"503 latency=120ms, 429 after=2 latency=90ms, reset latency=40ms, 200 latency=80ms",
		"@0s 503, @3s 200", "70% 200, 20.5% 503, 9.5% hang", "503,,nope\n#\n200 x0", "\ufeff200 body=\"\\xff\\u202e\xff \" header=A:b",
		"cut body=\"a\", badjson, hang x9, refused", `503 after="Wed, 21 Oct 2026 07:28:00 GMT" date= reason="\""`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := script.Parse(text)
		if err != nil {
			faults := script.Faults(err)
			if s != nil || len(faults) == 0 {
				t.Fatalf("script %v, faults of %v: %v", s, err, faults)
			}
			for _, fault := range faults {
				inside(t, text, fault)
			}
			return
		}
		printed := s.String()
		printable(t, printed)
		again, err := script.Parse(printed)
		if err != nil {
			t.Fatalf("%q prints %q: %v", text, printed, err)
		}
		if again.Mode() != s.Mode() || !reflect.DeepEqual(steps(again), steps(s)) || again.String() != printed {
			t.Fatalf("%q prints %q, which is %+v, not %+v", text, printed, steps(again), steps(s))
		}
		for i := range s.Len() {
			if span := s.Span(i); span.Line < 1 || span.Column < 1 || span.EndColumn <= span.Column {
				t.Fatalf("%q: step %d at %+v", text, i+1, span)
			}
		}
	})
}

func printable(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if !unicode.IsPrint(r) {
			t.Fatalf("%q holds %U", s, r)
		}
	}
}

func inside(t *testing.T, text string, f *script.Error) {
	t.Helper()
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	if f.Step < 1 || f.Line < 1 || f.Line > len(lines) {
		t.Fatalf("%q: %+v", text, f)
	}
	width := utf8.RuneCountInString(lines[f.Line-1])
	if f.Column < 1 || f.EndColumn < f.Column || f.EndColumn > width+1 {
		t.Fatalf("%q: %+v in a line of %d", text, f, width)
	}
	printable(t, f.Error())
}
