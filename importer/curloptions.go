package importer

import (
	"fmt"
	"slices"
	"strings"
)

// curlValues are the options of curl that take a value, long, each before its letter where it has one.
var curlValues = words(`
--abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert E --cert-type --ciphers --config K --connect-timeout --connect-to
--continue-at C --cookie b --cookie-jar c --create-file-mode --crlfile --curves --data d --data-ascii --data-binary --data-raw
--data-urlencode --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-url --dump-header D --ech --egd-file
--engine --etag-compare --etag-save --expect100-timeout --form F --form-string --ftp-account --ftp-alternative-to-user --ftp-method
--ftp-port P --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip --header H --hostpubmd5 --hostpubsha256 --hsts
--interface --ip-tos --ipfs-gateway --json --keepalive-cnt --keepalive-time --key --key-type --knownhosts --krb --libcurl --limit-rate --local-port
--login-options --mail-auth --mail-from --mail-rcpt --max-filesize --max-redirs --max-time m --netrc-file --noproxy --oauth2-bearer
--output o --output-dir --parallel-max --parallel-max-host --pass --pinnedpubkey --preproxy --proto --proto-default --proto-redir
--proxy x --proxy-cacert --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile --proxy-header --proxy-key
--proxy-key-type --proxy-pass --proxy-pinnedpubkey --proxy-service-name --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword
--proxy-tlsuser --proxy-user U --proxy1.0 --pubkey --quote Q --random-file --range r --rate --referer e --request X --request-target
--resolve --retry --retry-delay --retry-max-time --sasl-authzid --service-name --sigalgs --socks4 --socks4a --socks5
--socks5-gssapi-service --socks5-hostname --speed-limit Y --speed-time y --ssl-sessions --stderr --telnet-option t --tftp-blksize --time-cond z
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

// curlFlags are the long options of curl that take no value. no- may stand before each.
var curlFlags = strings.Fields(`
alpn anyauth append basic buffer ca-native cert-status clobber compressed compressed-ssh create-dirs crlf digest disable disable-eprt
disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed environment eprt epsv fail fail-early fail-with-body
false-start follow form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl ftp-ssl-ccc ftp-ssl-control ftp-ssl-reqd get
globoff haproxy-protocol head help http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only ignore-content-length include
insecure ipv4 ipv6 junk-session-cookies keepalive list-only location location-trusted mail-rcpt-allowfails manual metalink mptcp
negotiate netrc netrc-optional next npn ntlm ntlm-wb out-null parallel parallel-immediate path-as-is post301 post302 post303
progress-bar progress-meter proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure proxy-negotiate
proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw remote-header-name remote-name
remote-name-all remote-time remove-on-error retry-all-errors retry-connrefused sasl-ir sessionid show-error show-headers silent
skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd
ssl-revoke-best-effort sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen tcp-nodelay tftp-no-options tls-earlydata
tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose version xattr`)

// curlNewer are options that a curl does not have in which a part stands for the whole.
var curlNewer = strings.Fields(`dump-ca-embed ech follow ip-tos keepalive-cnt knownhosts mptcp out-null parallel-max-host show-headers
sigalgs skip-existing ssl-sessions tls-earlydata upload-flags vlan-priority`)

// curlOption is the whole name of a long option, "" for one that is not known. A curl before 8.6 takes any part from its
// beginning that no other option has, but not behind no-, and refuses one that others have.
func curlOption(typed string) (string, error) {
	plain, no := strings.CutPrefix(typed, "no-")
	if slices.Contains(curlFlags, plain) || len(typed) > 1 && curlValues[strings.TrimPrefix(typed, "expand-")] != "" {
		return typed, nil
	}
	if no && len(plain) > 1 && curlValues[plain] != "" {
		return "", fmt.Errorf("--%s: curl takes no- before what takes no value alone", typed)
	}
	var all []string
	part := func(name string) {
		if !no && len(name) > 1 && strings.HasPrefix(name, typed) && !slices.Contains(curlNewer, name) {
			all = append(all, "--"+name)
		}
	}
	for _, name := range curlFlags {
		part(name)
	}
	for name := range curlValues {
		part(name)
	}
	switch len(all) {
	case 0:
		return "", nil
	case 1:
		return all[0][2:], nil
	}
	slices.Sort(all)
	if len(all) > mostNamed {
		all = append(all[:mostNamed], "…")
	}
	return "", fmt.Errorf("--%s: which of %s?", typed, strings.Join(all, " "))
}

// mostNamed is how many options an error names.
const mostNamed = 6

// lookalikes are characters that pages and word processors put in place of those that a shell knows, and these.
var lookalikes = []struct {
	char       rune
	name, want string
}{
	{'\u2010', "a hyphen", "-"},
	{'\u2011', "a hyphen that does not break", "-"},
	{'\u2012', "a figure dash", "-"},
	{'\u2013', "an en dash", "-"},
	{'\u2014', "an em dash", "-"},
	{'\u2015', "a bar", "-"},
	{'\u2212', "a minus sign", "-"},
	{'\u201C', "a curly quote", `"`},
	{'\u201D', "a curly quote", `"`},
	{'\u2018', "a curly quote", "'"},
	{'\u2019', "a curly quote", "'"},
	{'\u00A0', "a blank that does not break", "a blank"},
	{'\u200B', "a blank without width", "none"},
}

// typed refuses a word in which a character stands for one that it looks like: to curl it is another, and what was meant
// for an option is a URL.
func typed(w shellWord) error {
	option := strings.HasPrefix(w.text, "-")
	for _, l := range lookalikes {
		char := string(l.char)
		switch {
		case w.quoted:
		case l.want != "-" && (strings.HasPrefix(w.text, char) || strings.HasSuffix(w.text, char) || l.want[0] != '"' && l.want[0] != '\'' && strings.Contains(w.text, char)):
			return fmt.Errorf("%s (U+%04X) stands where a shell wants %s: pages and word processors put it there", l.name, l.char, l.want)
		case l.want == "-" && (strings.HasPrefix(w.text, char) || option && strings.Contains(w.text, char)):
			return fmt.Errorf("%s (U+%04X) stands where curl wants %s: pages and word processors put it there", l.name, l.char, meant(w.text, char))
		}
	}
	return nil
}

// meant is the option that a word is for.
func meant(word, dash string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(word, dash, "-"), "=")
	if name = strings.TrimLeft(name, "-"); len(name) > 1 {
		return "--" + name
	}
	return "-" + name
}
