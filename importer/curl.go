package importer

import (
	"errors"
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// curlValues are the options of curl that take a value and say nothing about retries, long and short.
var curlValues = words(`
--request X --header H --data d --data-raw --data-binary --data-urlencode --data-ascii --json --form F --form-string --output o --user u
--user-agent A --referer e --cookie b --cookie-jar c --upload-file T --proxy x --proxy-user U --write-out w --config K --url --range r
--connect-timeout --limit-rate --speed-limit Y --speed-time y --max-redirs --max-filesize --resolve --connect-to --interface --cacert
--capath --cert E --key --cert-type --key-type --pass --ciphers --tls-max --dns-servers --noproxy --output-dir --dump-header D --stderr
--trace --trace-ascii --time-cond z --unix-socket --oauth2-bearer --aws-sigv4 --continue-at C --quote Q --telnet-option t --local-port
--keepalive-time --expect100-timeout --happy-eyeballs-timeout-ms --variable --url-query --retry --retry-delay --retry-max-time --max-time m`)

func words(s string) map[string]string {
	out := map[string]string{}
	last := ""
	for w := range strings.FieldsSeq(s) {
		if name, ok := strings.CutPrefix(w, "--"); ok {
			last = name
			out[name] = name
			continue
		}
		out[w] = last
	}
	return out
}

// curlKnown is what a curl command says about retries.
type curlKnown struct {
	r                     *reading
	retries, delay        string
	maxTime, maxRetryTime string
	all, refused, fail    bool
}

// readCurl reads a curl command line, quoted as a shell has it.
func readCurl(text string, r *reading) error {
	args, err := shellWords(text)
	if err != nil {
		return err
	}
	if len(args) > 0 && strings.HasSuffix(args[0], "curl") {
		args = args[1:]
	}
	if len(args) == 0 {
		return ErrNoPolicy
	}
	c := &curlKnown{r: r}
	for i := 0; i < len(args); i++ {
		used, err := c.word(args[i], args[i+1:])
		if err != nil {
			return err
		}
		i += used
	}
	c.apply()
	return nil
}

// word reads an argument and tells how many of those behind it belong to it.
func (c *curlKnown) word(arg string, rest []string) (int, error) {
	if name, ok := strings.CutPrefix(arg, "--"); ok && name != "" {
		return c.option(name, rest)
	}
	if len(arg) < 2 || arg[0] != '-' {
		c.r.ignore("the URL")
		return 0, nil
	}
	for i := 1; i < len(arg); i++ { // short ones may stand together, the last with its value
		letter := arg[i : i+1]
		long, takes := curlValues[letter]
		switch {
		case takes && i+1 < len(arg):
			_, err := c.option(long, []string{arg[i+1:]})
			return 0, err
		case takes:
			return c.option(long, rest)
		case letter == "f":
			c.fail = true
		default:
			c.r.ignore("-%s", letter)
		}
	}
	return 0, nil
}

func (c *curlKnown) option(name string, rest []string) (int, error) {
	switch name {
	case "retry-all-errors":
		c.all = true
		return 0, nil
	case "retry-connrefused":
		c.refused = true
		return 0, nil
	case "fail", "fail-with-body":
		c.fail = true
		return 0, nil
	}
	if _, ok := curlValues[name]; !ok {
		c.r.ignore("--%s", name)
		return 0, nil
	}
	if len(rest) == 0 {
		return 0, errors.New("--" + name + ": its value is missing")
	}
	switch name {
	case "retry":
		c.retries = rest[0]
	case "retry-delay":
		c.delay = rest[0]
	case "retry-max-time":
		c.maxRetryTime = rest[0]
	case "max-time":
		c.maxTime = rest[0]
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
	r.set("attempts=1 base=1s cap=10m curve=exponential factor=2 jitter=none retry-after=replace ceiling=6h timeout=none attempt-timeout=none methods=any")
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
	if c.retries != "" {
		if n, err := strconv.Atoi(c.retries); err != nil || n < 0 {
			r.bad("--retry", c.retries, "a whole number of 0 or more")
		} else {
			r.p = r.p.WithRetries(min(n, 999_999_999))
		}
	}
	if c.delay != "" {
		if d := r.span("--retry-delay", secondsWord(c.delay), 1e9); d > 0 { // 0 is as if it were not there
			r.p.Base, r.p.Curve, r.p.Cap = d, engine.CurveConstant, engine.NoCap
		}
	}
	if c.maxRetryTime != "" {
		if r.p.Timeout = r.span("--retry-max-time", secondsWord(c.maxRetryTime), 1e9); r.p.Timeout > 0 {
			r.ignore("--retry-max-time: curl begins no retry after it, but does not cut an attempt short; here timeout cuts it")
		}
	}
	if c.maxTime != "" {
		r.p.AttemptTimeout = r.span("--max-time", secondsWord(c.maxTime), 1e9)
	}
}

// secondsWord is a number of curl's as a number, or as it is where it is none: then it is refused.
func secondsWord(s string) any {
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	return s + "?"
}

// shellWords splits a command as a shell does, as far as one needs it: quotes, backslashes, lines that go on, comments.
func shellWords(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	in, quote := false, byte(0)
	end := func() {
		if in {
			out = append(out, word.String())
		}
		in = false
		word.Reset()
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			if text[i] != '\n' {
				word.WriteByte(text[i])
				in = true
			}
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == '#' && !in:
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			end()
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	end()
	return out, nil
}
