package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// program is a command with what runs it taken away: its name and its arguments.
type program struct {
	name string
	args []shellWord
	cut  bool // as of its shellCommand
}

var errNoCurl = errors.New("no curl command stands there")

// curlCommand is the first curl of a text: all its programs, and which of them. Where there is none, a text that begins
// with an option is taken for its arguments alone.
func curlCommand(text string) (all []program, at int, err error) {
	if windowsLines(text) {
		all = commandLines(text)
	} else {
		all, err = programs(powerShellLines(text), 0)
	}
	if err != nil || len(all) == 0 {
		return nil, 0, err
	}
	at = slices.IndexFunc(all, func(p program) bool { return p.name == curlName })
	switch {
	case at >= 0:
	case strings.HasPrefix(all[0].name, "-"):
		at = 0
		all[0].args = append([]shellWord{{text: all[0].name}}, all[0].args...)
	default:
		return nil, 0, noCurl(all)
	}
	return all, at, nil
}

const curlName = "curl"

// noCurl says where the word stands, if it does.
func noCurl(all []program) error {
	for _, p := range all {
		for _, w := range p.args {
			if baseName(w.text) == curlName {
				return fmt.Errorf("%w: there the word is an argument of %s", errNoCurl, p.name)
			}
		}
	}
	return errNoCurl
}

// programs are what a script runs.
func programs(text string, depth int) ([]program, error) {
	commands, err := shellCommands(text, depth)
	if err != nil {
		return nil, err
	}
	var all []program
	for _, c := range commands {
		ran, err := c.programs(depth)
		if err != nil {
			return nil, err
		}
		all = append(all, ran...)
	}
	return all, nil
}

// programs are the one that a command runs, or those of the script that it hands to a shell; none for a keyword.
func (c *shellCommand) programs(depth int) ([]program, error) {
	name, args := started(c.words)
	script := c.stdin
	switch {
	case name == "":
		return nil, nil
	case name == "eval":
		script = joined(args)
	case slices.Contains(shellNames, name):
		if s, ok := scriptOf(args, name == "su"); ok {
			script = s
		}
	case name != "ssh":
		script = ""
	}
	if script == "" {
		return []program{{name, args, c.cut}}, nil
	}
	return programs(script, depth+1)
}

// shellNames are programs that run the script behind -c, or that of their input.
var shellNames = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "su"}

// scriptOf is what stands behind -c. For su other words may stand before it.
func scriptOf(args []shellWord, others bool) (string, bool) {
	c := false
	for _, w := range args {
		option := len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+')
		switch {
		case option && !strings.HasPrefix(w.text, "--"):
			c = c || strings.Contains(w.text, "c")
		case option || !c && others:
		case w.text == "pipefail" || w.text == "errexit": // -o
		default:
			return w.text, c
		}
	}
	return "", false
}

func joined(words []shellWord) string {
	var all []string
	for _, w := range words {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// runner is a program that runs another: the letters and names of its options that take a word, and how many words
// stand before what it runs.
type runner struct {
	letters string
	longs   string
	words   int
}

var runners = map[string]runner{
	"sudo": {letters: "ugpChrtDTRU", longs: " --user --group --prompt --host --chdir --chroot --role --type "}, "doas": {letters: "uC"},
	"env": {letters: "uCS", longs: " --unset --chdir "}, "time": {letters: "fo", longs: " --format --output "}, "exec": {letters: "a"},
	"command": {}, "builtin": {}, "nohup": {}, "nice": {letters: "n", longs: " --adjustment "}, "ionice": {letters: "cnp"},
	"timeout": {letters: "ks", longs: " --kill-after --signal ", words: 1}, "stdbuf": {letters: "ioe"}, "setsid": {}, "unbuffer": {}, "chronic": {},
	"xargs": {letters: "nIPLdsaE", longs: " --max-args --max-procs --delimiter --replace "}, "watch": {letters: "n", longs: " --interval "},
	"flock": {letters: "wE", words: 1}, "chroot": {words: 1}, "busybox": {}, "noglob": {}, "proxychains": {letters: "f"}, "proxychains4": {letters: "f"},
	"torsocks": {}, "caffeinate": {letters: "tw"}, "strace": {letters: "eopsuS"},
	"RUN": {}, "CMD": {}, "HEALTHCHECK": {}, "ENTRYPOINT": {}, // of a Dockerfile
}

// keywords are words that stand before a command and belong to the shell, and marks that stand before one on a page.
var keywords = []string{"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "fi", "done", "esac", "$", "%", "-"}

// started is the program that words start: what stands before a command, and what runs it, is passed over.
func started(words []shellWord) (string, []shellWord) {
	words = words[scheduled(words):]
	for len(words) > 0 {
		w := words[0]
		plain := !w.quoted && !w.spread
		switch {
		case assigns(w.text), plain && slices.Contains(keywords, w.text),
			!w.quoted && strings.HasSuffix(w.text, "$"),                               // a prompt
			plain && strings.HasSuffix(w.text, ":") && !strings.Contains(w.text, "/"): // a key of YAML
			words = words[1:]
			continue
		case plain && w.text == "function" && len(words) > 1:
			words = words[2:]
			continue
		case plain && (w.text == "for" || w.text == "case" || w.text == "select"):
			return "", nil
		}
		name := baseName(w.text)
		r, ok := runners[name]
		if !ok {
			return name, words[1:]
		}
		rest, ok := r.behind(words[1:])
		if name == "command" && len(words) > 1 && (words[1].text == "-v" || words[1].text == "-V") || !ok { // these look for it
			return name, words[1:]
		}
		words = rest
	}
	return "", nil
}

// scheduled is how many words of a line of a crontab say when: five of numbers and stars, or one with an @.
func scheduled(words []shellWord) int {
	if len(words) > 0 && slices.Contains([]string{"@reboot", "@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"}, words[0].text) {
		return 1
	}
	for i := range min(len(words), 5) {
		if strings.Trim(words[i].text, "0123456789*/,-") != "" || words[i].quoted || strings.Trim(words[i].text, "-") == "" {
			return 0
		}
	}
	if len(words) <= 5 {
		return 0
	}
	if words[5].text == "root" { // of a crontab with users
		return 6
	}
	return 5
}

// behind is what stands behind a runner's own words, and whether anything does.
func (r *runner) behind(words []shellWord) ([]shellWord, bool) {
	for len(words) > 0 && len(words[0].text) > 1 && words[0].text[0] == '-' {
		w := words[0].text
		words = words[1:]
		takes := false
		if strings.HasPrefix(w, "--") {
			takes = strings.Contains(r.longs, " "+w+" ")
		} else if at := strings.IndexAny(w[1:], r.letters); r.letters != "" && at >= 0 {
			takes = at+2 == len(w)
		}
		if takes && len(words) > 0 {
			words = words[1:]
		}
		if w == "--" {
			break
		}
	}
	if len(words) <= r.words {
		return nil, false
	}
	return words[r.words:], true
}

// assigns tells whether a word gives a variable a value.
func assigns(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	name = strings.TrimSuffix(name, "+")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == "" && (name[0] < '0' || name[0] > '9')
}

// baseName is a program without its folder, and without what Windows and make write with it.
func baseName(w string) string {
	w = strings.TrimPrefix(w[strings.LastIndexAny(w, `/\`)+1:], "@")
	if strings.HasSuffix(strings.ToLower(w), ".exe") {
		w = w[:len(w)-len(".exe")]
	}
	return w
}
