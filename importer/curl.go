package importer

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// curlValues are the options of curl that take a value, long, each before its letter where it has one.
var curlValues = words(`
--abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert E --cert-type --ciphers --config K --connect-timeout --connect-to
--continue-at C --cookie b --cookie-jar c --create-file-mode --crlfile --curves --data d --data-ascii --data-binary --data-raw
--data-urlencode --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-url --dump-header D --ech --egd-file
--engine --etag-compare --etag-save --expect100-timeout --form F --form-string --ftp-account --ftp-alternative-to-user --ftp-method
--ftp-port P --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip --header H --hostpubmd5 --hostpubsha256 --hsts
--interface --ip-tos --ipfs-gateway --json --keepalive-cnt --keepalive-time --key --key-type --krb --libcurl --limit-rate --local-port
--login-options --mail-auth --mail-from --mail-rcpt --max-filesize --max-redirs --max-time m --netrc-file --noproxy --oauth2-bearer
--output o --output-dir --parallel-max --parallel-max-host --pass --pinnedpubkey --preproxy --proto --proto-default --proto-redir
--proxy x --proxy-cacert --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile --proxy-header --proxy-key
--proxy-key-type --proxy-pass --proxy-pinnedpubkey --proxy-service-name --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword
--proxy-tlsuser --proxy-user U --proxy1.0 --pubkey --quote Q --random-file --range r --rate --referer e --request X --request-target
--resolve --retry --retry-delay --retry-max-time --sasl-authzid --service-name --sigalgs --socks4 --socks4a --socks5
--socks5-gssapi-service --socks5-hostname --speed-limit Y --speed-time y --stderr --telnet-option t --tftp-blksize --time-cond z
--tls-max --tls13-ciphers --tlsauthtype --tlspassword --tlsuser --trace --trace-ascii --trace-config --unix-socket --upload-file T
--upload-flags --url --url-query --user u --user-agent A --variable --vlan-priority --write-out w`)

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

// readCurl reads the first curl command of a text, quoted as a shell has it.
func readCurl(text string, r *reading) error {
	args, more, err := curlCommand(text)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return ErrNoPolicy
	}
	switch {
	case more == 1:
		r.ignore("another command: the first curl was read")
	case more > 1:
		r.ignore("%d more commands: the first curl was read", more)
	}
	c := &curlKnown{r: r}
	for i := 0; i < len(args); i++ {
		if args[i] == "--next" || args[i] == "-:" {
			r.ignore("what stands behind --next")
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
	if known, _, ok := strings.Cut(name, "="); ok && curlValues[known] != "" { // the value may be a secret
		return 0, errors.New("--" + known + "=: curl knows no such option; the value is a word of its own, after a blank")
	}
	if _, ok := curlValues[strings.TrimPrefix(name, "expand-")]; !ok {
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
	if c.retries != "" {
		if n, err := strconv.Atoi(c.retries); err != nil || n < 0 {
			r.bad("--retry", c.retries, "a whole number of 0 or more")
		} else {
			r.p = r.p.WithRetries(min(n, 999_999_999))
		}
	}
	if d := c.seconds("--retry-delay", c.delay); d > 0 { // 0 is as if it were not there
		r.p.Base, r.p.Curve, r.p.Cap = d, engine.CurveConstant, engine.NoCap
	}
	if most := c.seconds("--retry-max-time", c.maxRetryTime); most > 0 && r.p.Attempts > 1 {
		c.within(most)
	}
	r.p.AttemptTimeout = c.seconds("--max-time", c.maxTime)
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
func (c *curlKnown) seconds(name, s string) time.Duration {
	if s == "" {
		return 0
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && f >= 0 && f*1e9 < float64(engine.Forever) {
		return time.Duration(f*1e9 + 0.5)
	}
	c.r.bad(name, s, "a number of seconds, 0 or more")
	return 0
}
