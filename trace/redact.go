package trace

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// mask stands for a secret.
const mask = "•••"

// RedactURL is a URL fit to be seen: its password, a user name that is a token, its fragment, and the values of its query
// and path that look like a secret are masked, by name or because they are long and random; the host is the one that is
// dialed, the rest as it was written, cleaned. What cannot be parsed as a URL is masked by where things stand in it.
func RedactURL(raw string) string { return Clean(redactURL(raw)) }

func redactURL(raw string) string {
	raw = redactBroken(raw)
	head, fragment, hasFragment := strings.Cut(raw, "#")
	head, query, hasQuery := strings.Cut(head, "?")
	out := redactUser(head)
	if hasQuery {
		out += "?" + redactQuery(query)
	}
	switch {
	case hasFragment && fragment != "": // it is nobody's but the page's own: tokens are put there for that
		out += "#" + mask
	case hasFragment:
		out += "#"
	}
	return out
}

// redactBroken masks all up to the last @ of a URL that cannot be parsed or has no host: where its password begins and
// ends nobody can say.
func redactBroken(raw string) string {
	start, at := strings.Index(raw, "//"), strings.LastIndexByte(raw, '@')
	if at < 0 || start > at {
		return raw
	}
	if u, err := url.Parse(raw); err == nil && (u.Host != "" || start >= 0 && start+2 < at && raw[start+2] != '/') {
		return raw
	}
	if start >= 0 {
		start++
	} else {
		start = strings.IndexByte(raw[:at], '/')
	}
	return raw[:start+1] + mask + raw[at:]
}

// redactUser masks what stands before the host. The last @ of the authority ends it, as in net/url.
func redactUser(s string) string {
	scheme, rest, ok := strings.Cut(s, "//")
	if !ok {
		scheme, rest = "", s
	} else {
		scheme += "//"
	}
	authority, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	at := strings.LastIndexByte(authority, '@')
	if strings.EqualFold(scheme, "http://") || strings.EqualFold(scheme, "https://") {
		authority = authority[:at+1] + dialedHost(authority[at+1:])
	}
	if at < 0 {
		return scheme + authority + redactPath(path)
	}
	user, _, hasPassword := strings.Cut(authority[:at], ":")
	if !hasPassword || random(user) {
		user = mask
	}
	if hasPassword {
		user += ":" + mask
	}
	return scheme + user + authority[at:] + redactPath(path)
}

// redactPath masks path segments that can only be a token, as in the addresses of web hooks, and what follows a segment
// that says so: /reset-token/abc123. A UUID by itself names a thing.
func redactPath(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		named := i > 0 && len(p) >= shortSecret && strings.ContainsAny(p, "0123456789") && SecretName(unescape(parts[i-1]))
		switch {
		case named || random(p) && !uuid(p):
			parts[i] = mask
		case strings.Contains(p, "="): // /a;session=x
			parts[i] = redactQuery(p)
		}
	}
	return strings.Join(parts, "/")
}

// uuid tells whether s has the shape of a UUID: five groups of 8, 4, 4, 4 and 12 hexadecimal digits.
func uuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}

// redactQuery masks values in name=value pairs separated by & or ;.
func redactQuery(q string) string {
	var b strings.Builder
	signed := isSigned(q)
	for q != "" {
		end := strings.IndexAny(q, "&;")
		pair, sep := q, ""
		if end >= 0 {
			pair, sep = q[:end], q[end:end+1]
		}
		b.WriteString(redactPair(pair, signed) + sep)
		q = q[len(pair)+len(sep):]
	}
	return b.String()
}

// isSigned tells whether a query has a signature in it: what it signs, the policy of CloudFront and S3, goes with it.
func isSigned(q string) bool {
	lower := strings.ToLower(q)
	return strings.Contains(lower, "policy=") && strings.Contains(lower, "signature=")
}

// redactPair masks a value. signed says that its query has a signature.
func redactPair(pair string, signed bool) string {
	name, value, ok := strings.Cut(pair, "=")
	switch {
	case signed && value != "" && strings.EqualFold(unescape(name), "policy"):
		return name + "=" + mask
	case !ok && random(pair):
		return mask
	case ok && value != "" && (SecretName(unescape(name)) || random(value) || nested(value)):
		return name + "=" + mask
	default:
		return pair
	}
}

// deepest is how many escapings a value is looked through for a URL in it.
const deepest = 4

// nested tells whether a value, escaped or not, holds a URL or a query that has a secret in it.
func nested(value string) bool {
	for range deepest {
		if i := strings.Index(value, "//"); i >= 0 && strings.ContainsRune(value[i:], '@') {
			return true
		}
		for pair := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("?&;#/", r) }) {
			words := strings.Split(pair, "=")
			for i, name := range words[:len(words)-1] {
				if words[i+1] != "" && SecretName(name) || random(words[i+1]) {
					return true
				}
			}
		}
		plain := unescape(value)
		if plain == value {
			break
		}
		value = plain
	}
	return false
}

func unescape(s string) string {
	if t, err := url.QueryUnescape(s); err == nil {
		return t
	}
	return s
}

// secretWords are the words of a name that say its value is a secret; secretParts do so anywhere in a name.
var (
	secretWords = map[string]bool{
		"key": true, "keys": true, "sig": true, "sign": true, "code": true, "auth": true, "oauth": true, "pass": true, "pwd": true, "pin": true,
		"otp": true, "totp": true, "tok": true, "pw": true, "state": true, "csrf": true, "xsrf": true, "nonce": true, "se": true, "pat": true, "sid": true, "jwt": true, "hmac": true, "sas": true, "cred": true, "creds": true, "cookie": true, "ticket": true,
		"bearer": true, "assertion": true, "authorization": true, "authentication": true,
		"refresh": true, "cvv": true, "cvc": true, "cvn": true, "ssn": true, "mfa": true, "tfa": true, "salt": true, "mnemonic": true, "sso": true,
		"wresult": true, "wctx": true, "passkey": true,
	}
	secretParts = []string{
		"token", "secret", "password", "passwd", "passphrase", "signature", "credential", "session", "apikey", "accesskey", "authkey", "privatekey",
		"subscriptionkey", "sessid", "saml", "passcode", "passwort", "pincode", "accesscode", "authcode", "verificationcode", "privkey", "secretkey", "sesskey",
		"cardnumber", "creditcard", "connectionstring",
	}
)

// SecretName tells whether a parameter or header of this name holds a secret, by the words in it. Rather one too many.
func SecretName(name string) bool {
	lower := strings.ToLower(name)
	joined := strings.NewReplacer("-", "", "_", "", ".", "").Replace(lower)
	for _, p := range secretParts {
		if strings.Contains(joined, p) {
			return true
		}
	}
	start := 0
	for i := 0; i <= len(name); i++ {
		if i < len(name) && letter(name[i]) && !hump(name, i) {
			continue
		}
		if secretWords[lower[start:i]] {
			return true
		}
		start = i
		if i < len(name) && !letter(name[i]) {
			start++
		}
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// hump tells whether a capital begins a word: after a small letter, as in accessKey.
func hump(name string, i int) bool {
	return i > 0 && name[i] <= 'Z' && name[i-1] >= 'a'
}

// longSecret is the length from which a word of letters and digits mixed is taken for a secret whatever its name.
const longSecret = 24

// random tells whether a word can only be a token: long, without a blank, letters and digits mixed.
func random(s string) bool {
	s = unescape(s)
	if len(s) < longSecret {
		return false
	}
	digits, letters := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case letter(c):
			letters++
		case strings.IndexByte("-_.~+/=:", c) < 0:
			return false
		}
	}
	return digits > 2 && letters > 2 && digits+letters > len(s)*3/4
}

// RedactText is a text, an error's for instance, fit to be seen: every given secret is masked in it, and every URL or
// query in it as RedactURL does. It is not cleaned of control characters.
func RedactText(text string, secrets ...string) string {
	text = redactLinks(text)
	for _, s := range longestFirst(secrets) {
		text = strings.ReplaceAll(text, s, mask)
	}
	return text
}

// shortSecret is the length below which a secret is masked only where a URL has it: as a word of its own it would be
// found inside others.
const shortSecret = 4

// longestFirst are the secrets worth a search, in each form a text can have them.
func longestFirst(secrets []string) []string {
	var out []string
	for _, s := range secrets {
		for _, form := range []string{s, unescape(s), url.QueryEscape(s), url.PathEscape(s), url.UserPassword("", s).String()[1:]} {
			if len(form) >= shortSecret {
				out = append(out, form)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(out)
}

// redactLinks masks each word of a text that is a URL, or has a query in it.
func redactLinks(text string) string {
	if !strings.Contains(text, "//") && !strings.ContainsAny(text, "?@") {
		return text
	}
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, " \t\r\n\"'<>()[]{}|`")
		word, sep := text, ""
		if end >= 0 {
			word, sep = text[:end], text[end:end+1]
		}
		switch {
		case strings.Contains(word, "//"), strings.Contains(word, ":/") && strings.ContainsRune(word, '@'):
			b.WriteString(redactURL(word))
		case strings.ContainsRune(word, '?'):
			path, query, _ := strings.Cut(word, "?")
			b.WriteString(path + "?" + redactQuery(query))
		default:
			b.WriteString(word)
		}
		b.WriteString(sep)
		text = text[len(word)+len(sep):]
	}
	return b.String()
}

// Secrets are all secrets in a request that an error could repeat: of its URL and of its headers. They are for
// RedactText and for nothing else.
func Secrets(rawURL string, header map[string][]string) []string {
	out := urlSecrets(rawURL)
	for name, values := range header {
		if !SecretHeader(name) {
			continue
		}
		for _, v := range values {
			out = append(out, v)
			scheme, rest, ok := strings.Cut(v, " ")
			if ok {
				out = append(out, strings.TrimSpace(rest))
			}
			if ok && strings.EqualFold(scheme, "basic") {
				out = append(out, basic(rest)...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// basic are the secrets of a Basic authorization: what is encoded, and its password.
func basic(encoded string) []string {
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return nil
	}
	_, password, _ := strings.Cut(string(plain), ":")
	return []string{string(plain), password}
}

func urlSecrets(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	var out []string
	if password, ok := u.User.Password(); ok {
		out = append(out, password)
	} else if u.User != nil {
		out = append(out, u.User.Username())
	}
	for _, part := range []string{u.RawQuery, u.EscapedFragment()} {
		signed := isSigned(part)
		for _, pair := range strings.FieldsFunc(part, func(r rune) bool { return r == '&' || r == ';' }) {
			name, value, _ := strings.Cut(pair, "=")
			if redactPair(pair, signed) != pair {
				out = append(out, value)
				if value == "" {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// SecretHeader tells whether a request header of this name holds a secret that is not for another host.
func SecretHeader(name string) bool {
	return !strings.EqualFold(name, "Idempotency-Key") && SecretName(name)
}

// allowedHeaders are the headers of an answer that a record keeps: what a wait is read from, and the ids support asks for.
var allowedHeaders = map[string]bool{
	"retry-after": true, "retry-after-ms": true, "x-ms-retry-after-ms": true, "x-amz-retry-after": true, "ratelimit-reset": true,
	"x-ratelimit-reset": true, "date": true, "traceparent": true, "request-id": true, "x-request-id": true, "x-correlation-id": true, "x-trace-id": true,
	"x-amzn-requestid": true, "x-amzn-trace-id": true, "x-amz-request-id": true, "x-amz-id-2": true, "x-amz-cf-id": true,
	"x-ms-request-id": true, "x-ms-correlation-request-id": true, "x-github-request-id": true, "x-goog-request-id": true, "x-cloud-trace-context": true,
	"x-guploader-uploadid": true, "x-oai-request-id": true, "x-stripe-request-id": true, "x-shopify-request-id": true, "x-vercel-id": true,
	"x-fastly-request-id": true, "x-b3-traceid": true, "opc-request-id": true, "cf-ray": true,
}

// AllowedHeader tells whether a record keeps the value of an answer's header of this name.
func AllowedHeader(name string) bool { return allowedHeaders[strings.ToLower(name)] }
