package cli

import (
	"strings"
	"testing"
)

// A topic's text is made when it is asked for, not at each start of the program.
func TestTopicsAreLazy(t *testing.T) {
	t.Parallel()
	all := newTopics()
	if len(all) != 5 {
		t.Errorf("%d topics", len(all))
	}
	for _, topic := range all {
		if topic.Long != "" {
			t.Errorf("%s is made at the start", topic.Name())
		}
		made := 0
		lazy := newTopic(topic.Name(), "short", func() string { made++; return "the text" })
		root := newRoot(&Env{Getenv: func(string) string { return "" }})
		for _, c := range root.Commands() {
			if c.Name() == topic.Name() {
				root.RemoveCommand(c)
			}
		}
		root.AddCommand(lazy)
		var out strings.Builder
		root.SetOut(&out)
		for _, args := range [][]string{{"--help"}, {"help", topic.Name()}} {
			if made != 0 {
				t.Errorf("%s was made before it was asked for", topic.Name())
			}
			root.SetArgs(args)
			if err := root.Execute(); err != nil {
				t.Error(err)
			}
		}
		if made != 1 || !strings.HasSuffix(strings.TrimSpace(out.String()), "the text") {
			t.Errorf("%s: made %d times: %q", topic.Name(), made, out.String())
		}
	}
}

// What every start of the program makes stays small: a tenth of what all topics and scenarios take.
func TestRootIsCheap(t *testing.T) {
	env := &Env{Getenv: func(string) string { return "" }}
	newRoot(env) // what is made once
	if n := testing.AllocsPerRun(5, func() { newRoot(env) }); n > 3000 {
		t.Errorf("%g allocations, and 1300 were enough", n)
	}
}
