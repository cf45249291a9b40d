package main_test

import (
	"os"
	"strings"
	"testing"
)

// The layers of the program, one row a package: what it may import, and what it may not call, each with the reason a
// failure prints. A package that is not here fails the test until somebody decides what it may know; a row whose
// package is gone fails too. The checker is in arch_check_test.go, and arch_self_test.go shows that it can fail.
func archTable() []archRow {
	return []archRow{
		{
			pkg: "", ours: []string{"internal/cli"},
			why:  "main only hands the world to internal/cli and exits with what comes back",
			bans: []archBan{},
		},
		{
			pkg: "engine",
			why: "the engine is the bottom: the standard library alone, so that anything can be built on it",
			bans: []archBan{
				archNoOS(), archNoExit(),
				archNoClock("the time is an argument, or comes from the Clock seam").but("engine/clock_real.go"),
				archNoChance("a draw is an argument or made from the seed").but("engine/clock_real.go"),
				{pkg: "net/http/...", why: "HTTP lives in httpretry"},
				{pkg: "log/...", why: "the engine tells an observer and logs nothing"},
			},
		},
		{
			pkg: "httpretry", ours: []string{"engine"},
			why: "httpretry obeys a policy and knows of no script, record or screen",
			bans: []archBan{
				archNoOS("SyscallError", "ErrDeadlineExceeded"), archNoExit(),
				{pkg: "log", why: "a transport that logs leaks URLs: it tells an observer"},
				archNoOwnLogger(),
				archNoPrint(),
			},
		},
		{
			pkg: "script", ours: []string{"engine"},
			why: "a scripted server is a plain peer: it may not know who is calling it",
			bans: []archBan{
				archNoOS("SyscallError", "ErrDeadlineExceeded"), archNoExit(), archNoPrint(),
				archNoClock("a script runs on the engine's clock, so that a wait of an hour costs nothing"),
				archNoChance("chance steps are drawn from the seed: the same seed gives the same answers"),
			},
		},
		{
			pkg: "trace", ours: []string{"engine"},
			why: "a record is made of events alone, wherever they came from",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("every time in a record comes with its event"),
				archNoChance("the same events make the same bytes"),
			},
		},
		{
			pkg: "retrylog", ours: []string{"engine"},
			why: "an observer knows the events and nothing else",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(), archNoOwnLogger(),
				{pkg: "log", why: "records are structured: log/slog"},
				archNoClock("every time in a record comes with its event"),
			},
		},
		{
			pkg: "lab", ours: []string{"engine", "httpretry", "script", "sim", "trace"},
			why:  "lab runs one operation into a record, and lends its script to a simulation of many; how that is shown is not its business",
			bans: []archBan{archNoOS(), archNoExit(), archNoPrint()},
		},
		{
			pkg: "presets", ours: []string{"engine"},
			why: "a preset is data for the engine",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("data has no time"), archNoChance("data has no chance"),
			},
		},
		{
			pkg: "lint", ours: []string{"engine", "presets", "trace"},
			why: "a finding comes from the policy's text alone: nothing is run for it",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				{pkg: "net/...", why: "a policy is judged without sending anything"},
				archNoClock("the same policy has the same findings at any time"), archNoChance("the same policy has the same findings each time"),
			},
		},
		{
			pkg: "export", ours: []string{"engine"},
			why: "an export is text made of a policy",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("a text has no time"), archNoChance("the same policy makes the same text"),
			},
		},
		{
			pkg: "internal/prove", ours: []string{"engine", "lab", "script", "trace"},
			why: "proofs of exports hold what a server saw against our own run; tests alone need it",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("the gaps are those that the scripted server measures"), archNoChance("our own run takes the lowest draw and the highest"),
			},
		},
		{
			pkg: "importer", ours: []string{"engine", "presets"}, outside: []string{"go.yaml.in/yaml/v3"},
			why: "an import is a policy made of text that was read elsewhere",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("a text has no time"), archNoChance("the same text makes the same policy"),
				{pkg: "net/...", why: "what is read is handed in"},
			},
		},
		{
			pkg: "sim", ours: []string{"engine", "internal/hist"}, outside: []string{"github.com/pelletier/go-toml/v2"},
			why: "many operations in virtual time know the policy alone: a scripted source is handed in, a scenario is text",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("time is an argument: a simulation of an hour costs what its events cost"),
				archNoChance("a draw is made from the seed, by purpose and client: no knob shifts another draw"),
				{pkg: "net/...", why: "nothing is sent"},
			},
		},
		{
			pkg: "internal/hist",
			why: "figures are counted here, whatever they are of",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("a value comes with whoever adds it"), archNoChance("the same values make the same quantiles"),
			},
		},
		{
			pkg:     "ui",
			ours:    []string{"engine", "httpretry", "script", "trace", "lab", "presets", "lint", "export", "importer", "sim", "internal/hist"},
			outside: []string{"charm.land/...", "github.com/charmbracelet/..."},
			why:     "the screen shows and edits what others compute",
			bans: []archBan{
				archNoOS(), archNoExit(), archNoPrint(),
				archNoClock("the model moves by messages: what needs the time is a command that is handed in"),
				archNoChance("a new seed is asked of a command that is handed in"),
				{pkg: "path/filepath", why: archNoFiles, names: []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"}},
				{pkg: "net", why: archNoNet},
				{pkg: "crypto/tls", why: archNoNet},
				{pkg: "net/http/...", why: archNoNet, allow: []string{"Header", "Method*", "Status*"}},
			},
		},
		{
			pkg: "internal/cli", ours: []string{"..."}, outside: []string{"..."},
			why:  "the command line ties everything together",
			bans: []archBan{archNoExit()},
		},
	}
}

const (
	archNoFiles = "the screen opens no file: saving and opening are commands that are handed in"
	archNoNet   = "the screen sends nothing: a send is a command that is handed in"
)

// archNoOS keeps the world (files, environment, signals, other programs) in one place. Types by which an error is told
// from another may be allowed.
func archNoOS(types ...string) archBan {
	return archBan{
		pkg: "os/...", allow: types,
		why: "only internal/cli and main touch os: everything else is handed what it needs",
	}
}

func archNoExit() archBan {
	return archBan{
		pkg: "os|log|syscall", names: []string{"Exit", "Fatal*"},
		why: "only main exits, so that deferred work is done and the terminal is restored",
	}
}

func archNoPrint() archBan {
	return archBan{
		pkg: "fmt", names: []string{"Print", "Printf", "Println"},
		why: "stdout belongs to the caller: write to the io.Writer that was handed in",
	}
}

func archNoOwnLogger() archBan {
	return archBan{
		pkg: "log/slog", why: "only the logger that was handed in is written to",
		names: []string{"Debug*", "Info*", "Warn*", "Error*", "Log", "LogAttrs", "Default", "SetDefault", "SetLogLoggerLevel"},
	}
}

func archNoClock(why string) archBan {
	return archBan{
		pkg: "time|context", why: why,
		names: []string{
			"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker",
			"WithTimeout*", "WithDeadline*",
		},
		// context.AfterFunc runs when a context ends; it holds no timer.
		allow: []string{"context.AfterFunc"},
	}
}

func archNoChance(why string) archBan {
	return archBan{
		pkg: "math/rand/...|crypto/rand|hash/maphash", why: why,
		// A generator with a seed of its own is no global one.
		allow: []string{"math/rand/v2.New*", "math/rand/v2.Rand", "math/rand/v2.Source", "math/rand/v2.PCG", "math/rand/v2.ChaCha8", "math/rand/v2.Zipf"},
	}
}

func TestArchitecture(t *testing.T) {
	t.Parallel()
	tree, err := archRead(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range archCheck(tree, archTable()) {
		t.Error(p)
	}
}

// The law of one place for os is only as good as the table: each row but the two that may touch it says so.
func TestArchitectureTableKeepsTheWorldInOnePlace(t *testing.T) {
	t.Parallel()
	for _, row := range archTable() {
		var os, exit bool
		for _, b := range row.bans {
			os = os || strings.HasPrefix(b.pkg, "os/")
			exit = exit || strings.HasPrefix(b.pkg, "os|log")
		}
		if row.pkg != "" && !exit {
			t.Errorf("%s: its row lets it exit the program", row.pkg)
		}
		if row.pkg != "" && row.pkg != "internal/cli" && !os {
			t.Errorf("%s: its row lets it touch os", row.pkg)
		}
		if row.why == "" {
			t.Errorf("%s: its row gives no reason", row.pkg)
		}
	}
}
