package importer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// curlKnown is what a curl command says about retries.
type curlKnown struct {
	r                  *reading
	values             map[string]string // by option
	all, refused, fail bool
}

// readCurl reads the first curl command of a script, or of a command line as it is pasted.
func readCurl(text string, r *reading) error {
	all, at, err := curlCommand(text)
	if err != nil {
		return err
	}
	if len(all) == 0 || len(all) == 1 && len(all[0].args) == 0 {
		return ErrNoPolicy
	}
	switch more := len(all) - 1; {
	case more == 1:
		r.ignore("another command: the first curl was read")
	case more > 1:
		r.ignore("%d more commands: the first curl was read", more)
	}
	r.lost(all[at:])
	c := &curlKnown{r: r, values: map[string]string{}}
	args := all[at].args
	for i := 0; i < len(args); i++ {
		if args[i].text == "--next" || args[i].text == "-:" {
			r.ignore("what stands behind --next")
			break
		}
		if args[i].text == "--" {
			for _, w := range args[i+1:] {
				c.address(w)
			}
			break
		}
		used, err := c.word(args[i], args[i+1:])
		if err != nil {
			return err
		}
		i += used
	}
	c.apply()
	return nil
}

// lost says where the shell ends a command before its author does.
func (r *reading) lost(from []program) {
	var next program
	if len(from) > 1 {
		next = from[1]
	}
	names := optionNames(append([]shellWord{{text: next.name}}, next.args...))
	switch cut := from[0].cut; {
	case cut && names != "":
		r.ignore("%s behind an unquoted &, which ends the command: the URL wants quotes", names)
	case cut:
		r.ignore("what stands behind an unquoted &, which ends the command: the URL wants quotes")
	case strings.HasPrefix(next.name, "-"):
		r.ignore("%s: on a line that is a command of its own, for the one before it does not go on", names)
	}
}

// optionNames are the options among words, without values: these may be secret.
func optionNames(words []shellWord) string {
	var names []string
	for _, w := range words {
		if name, _, _ := strings.Cut(w.text, "="); len(name) > 1 && name[0] == '-' {
			if name[1] != '-' {
				name = name[:2]
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// address is a word that is no option: a URL.
func (c *curlKnown) address(w shellWord) {
	switch {
	case !w.spread || !strings.HasPrefix(w.text, "$"):
		c.r.ignore("the URL")
	case strings.HasPrefix(w.text, "$("):
		c.r.ignore("a command's output, with the options that it may hold")
	default:
		c.r.ignore("%s, with the options that it may hold", w.text)
	}
}

// word reads an argument and tells how many of those behind it belong to it.
func (c *curlKnown) word(w shellWord, rest []shellWord) (int, error) {
	if err := typed(w); err != nil {
		return 0, err
	}
	arg := w.text
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		return c.long(name, rest)
	}
	if len(arg) < 2 || arg[0] != '-' {
		c.address(w)
		return 0, nil
	}
	for i := 1; i < len(arg); i++ { // short ones may stand together, the last with its value
		letter := arg[i : i+1]
		name, takes := curlValues[letter]
		switch {
		case takes && i+1 < len(arg):
			_, err := c.option(name, []shellWord{{text: arg[i+1:]}})
			return 0, err
		case takes:
			return c.option(name, rest)
		case letter == "f":
			c.fail = true
		default:
			c.r.ignore("-%s", letter)
		}
	}
	return 0, nil
}

// long reads a long option as it is typed: whole, with its value behind a =, or so much of it as tells it from others.
func (c *curlKnown) long(name string, rest []shellWord) (int, error) {
	if known, value, ok := strings.Cut(name, "="); ok { // the value may be a secret
		switch whole, err := curlOption(known); {
		case err != nil:
			return 0, err
		case whole == "":
			c.r.ignore("--%s: no option that is known here", known)
			return 0, nil
		case whole != known:
			return 0, fmt.Errorf("--%s=: a curl that takes a = takes whole names alone: --%s", known, whole)
		case curlValues[strings.TrimPrefix(known, "expand-")] == "":
			return 0, fmt.Errorf("--%s=: it takes no value", known)
		}
		if strings.HasPrefix(known, "retry") || known == "max-time" {
			c.r.ignore("that a curl before 8.16 refuses --%s=", known)
		}
		_, err := c.option(known, []shellWord{{text: value}})
		return 0, err
	}
	whole, err := curlOption(name)
	if err != nil {
		return 0, err
	}
	if whole == "" {
		c.r.ignore("--%s: no option that is known here, nor whether it takes the next word", name)
		return 0, nil
	}
	if whole != name {
		c.r.ignore("that a curl from 8.6 on refuses --%s: an older one reads it as --%s", name, whole)
	}
	return c.option(whole, rest)
}

// known tells whether a word is a whole option of curl's.
func known(word string) bool {
	whole, err := curlOption(word[2:])
	return err == nil && whole == word[2:] && whole != ""
}

// option reads an option of curl's by its whole name.
func (c *curlKnown) option(name string, rest []shellWord) (int, error) {
	plain, no := strings.CutPrefix(name, "no-")
	switch plain {
	case "retry-all-errors":
		c.all = !no
		return 0, nil
	case "retry-connrefused":
		c.refused = !no
		return 0, nil
	case "fail", "fail-with-body":
		c.fail = !no
		return 0, nil
	}
	if curlValues[strings.TrimPrefix(name, "expand-")] == "" {
		c.r.ignore("--%s", name)
		return 0, nil
	}
	if len(rest) == 0 {
		return 0, errors.New("--" + name + ": its value is missing")
	}
	if value := rest[0].text; strings.HasPrefix(value, "--") && known(value) {
		c.r.ignore("%s, which --%s takes for its value", value, name)
	}
	switch name {
	case "retry", "retry-delay", "retry-max-time", "max-time":
		c.values[name] = rest[0].text
	case "url":
		c.r.ignore("the URL")
	default:
		c.r.ignore("--%s", name)
	}
	return 1, nil
}

// apply makes the policy: that of curl 8, with what the command says.
func (c *curlKnown) apply() {
	r := c.r
	r.set("attempts=1 base=1s cap=10m curve=exponential factor=2 jitter=none retry-after=replace reads=seconds,date,old-date ceiling=6h over-ceiling=cut timeout=none attempt-timeout=none methods=any")
	const statuses = "408,429,500,502-504,522,524"
	switch {
	case c.all && c.fail:
		r.set("retry-on=transport,timeout,invalid-response,unknown,dns,tls,proxy,4xx,5xx")
	case c.all:
		r.set("retry-on=transport,timeout,invalid-response,unknown,dns,tls,proxy," + statuses)
	case c.refused:
		r.set("retry-on=timeout,dns,refused," + statuses)
	default:
		r.set("retry-on=timeout,dns," + statuses)
	}
	if c.fail && !c.all {
		r.ignore("--fail, which changes how curl ends and not what it retries")
	}
	if given, ok := c.values["retry"]; ok {
		if n, err := strconv.Atoi(given); err != nil || n < 0 {
			r.bad("--retry", given, "a whole number of 0 or more")
		} else {
			r.p = r.p.WithRetries(min(n, 999_999_999))
		}
	}
	if d := c.seconds("retry-delay"); d > 0 { // 0 is as if it were not there
		r.p.Base, r.p.Curve, r.p.Cap = d, engine.CurveConstant, engine.NoCap
	}
	if most := c.seconds("retry-max-time"); most > 0 && r.p.Attempts > 1 {
		c.within(most)
	}
	r.p.AttemptTimeout = c.seconds("max-time")
}

// within is --retry-max-time. Curl looks at it before a wait, where a timeout looks at the end of one, and takes no server's
// wait that ends after it: a timeout longer by the last wait lets the same waits begin.
func (c *curlKnown) within(most time.Duration) {
	p := &c.r.p
	at, last := time.Duration(0), p.Base
	for k := 1; k < p.Attempts && at < most && last < p.Cap; k++ {
		if last, _ = p.Bounds(k); p.Curve == engine.CurveConstant {
			break
		}
		at += last
	}
	p.Timeout = min(most, engine.Forever-last) + last
	if p.Ceiling >= most { // what is cut to the ceiling ends after it as well
		p.Ceiling, p.OverCeiling = most, engine.OverDefer
	}
	c.r.ignore("--retry-max-time: curl begins no wait after %s, which timeout=%s is for; but it cuts no attempt short, and timeout does",
		engine.FormatDuration(most), engine.FormatDuration(p.Timeout))
}

// seconds reads a number of seconds, with a fraction in newer versions; 0 for none.
func (c *curlKnown) seconds(name string) time.Duration {
	s, ok := c.values[name]
	if !ok {
		return 0
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f >= 0 && f*1e9 < float64(engine.Forever) {
		return time.Duration(f*1e9 + 0.5)
	}
	c.r.bad("--"+name, s, "a number of seconds, 0 or more")
	return 0
}
