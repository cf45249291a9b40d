package lab_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
)

// answering is a server that answers each connection with these bytes and closes it.
func answering(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = c.Read(make([]byte, 1<<16))
				_, _ = io.WriteString(c, answer)
				_ = c.Close()
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

// What a malformed answer holds is in no error, and no server makes one long.
func TestWireWordsOfAServer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300_000)
	for _, tt := range []struct {
		name, answer string
		kind         engine.Kind
		cause        engine.Cause
		words        string
	}{
		{"a header line", "HTTP/1.1 200 OK\r\nSet-Cookie s=hunter2\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "a header line of the answer is malformed"},
		{"a header line that goes on", "HTTP/1.1 200 OK\r\n Set-Cookie: s=hunter2\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "a header line of the answer is malformed"},
		{"no HTTP", "hunter2 hunter2\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "malformed HTTP"},
		{"a status that is none", "HTTP/1.1 hunter2 OK\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "malformed HTTP status code"},
		{"a long line", long + "\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "malformed HTTP"},
		{"a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: hunter2\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "bad Content-Length"},
		{"status 000", "HTTP/1.1 000 hunter2\r\nContent-Length: 0\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "malformed answer: 000 is no status"},
		{"a long phrase", "HTTP/1.1 503 " + long + "\r\nContent-Length: 0\r\n\r\n", engine.KindStatus, engine.CauseNone, "503 Service Unavailable"},
		{"a long Retry-After", "HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: " + strings.Repeat("9", 800_000) + "\r\n\r\n", engine.KindStatus, engine.CauseNone, "longer than any duration"},
		{"a redirect to a file", "HTTP/1.1 302 No\r\nContent-Length: 0\r\nLocation: file:///hunter2\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "redirect refused: its Location is neither http nor https"},
		{"a redirect that cannot be read", "HTTP/1.1 302 No\r\nContent-Length: 0\r\nLocation: http://u:hunter2@[\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "its Location cannot be read"},
		{"a redirect to no port", "HTTP/1.1 302 No\r\nContent-Length: 0\r\nLocation: http://u:hunter2@h:99999/\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "port"},
		{"a redirect to nobody", "HTTP/1.1 302 No\r\nContent-Length: 0\r\nLocation: http:///hunter2\r\n\r\n", engine.KindInvalidResponse, engine.CauseMalformed, "its Location has no host"},
		{"a redirect to a closed port", "HTTP/1.1 302 No\r\nContent-Length: 0\r\nLocation: http://u:hunter2@127.0.0.1:1/hunter2?x=hunter2\r\n\r\n", engine.KindTransport, engine.CauseRefused, "refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := request(t, lab.Request{URL: answering(t, tt.answer)}, quick+"attempts=2", nil)
			a := tr.Attempts[0]
			if a.Outcome.Kind != tt.kind || a.Outcome.Cause != tt.cause {
				t.Errorf("%+v", a.Outcome)
			}
			if !strings.Contains(tr.Done.Err, tt.words) {
				t.Errorf("%q lacks %q", tr.Done.Err, tt.words)
			}
			if n := utf8.RuneCountInString(tr.Done.Err); n > 1000 {
				t.Errorf("an error of %d characters", n)
			}
			if refused := strings.Contains(tr.Done.Err, "redirect refused"); refused && (len(tr.Attempts) != 1 || tr.Done.Reason != engine.ReasonNotRetryable) {
				t.Errorf("%d attempts, %v", len(tr.Attempts), tr.Done.Reason)
			}
			if s := jsonOf(t, tr); len(s) > 20_000 || !utf8.ValidString(s) {
				t.Errorf("%d bytes of events", len(s))
			}
			noSecret(t, tr, "hunter2")
		})
	}
}

// Secrets are for one origin: another port or scheme of the same host is another one. From http to https they go along.
func TestWireRedirectToAnotherOrigin(t *testing.T) {
	t.Parallel()
	header := map[string][]string{"Authorization": {"Bearer hunter2"}, "Cookie": {"c=hunter2"}, "X-Api-Key": {"hunter2"}}
	for _, tt := range []struct {
		from, to string
		kept     bool
	}{
		{"a.test", "http://a.test/there", true},
		{"a.test", "http://a.test:80/there", true},
		{"a.test", "http://a.test:8080/there", false},
		{"a.test:8080", "http://a.test:8080/there", true},
		{"a.test:8080", "http://a.test/there", false},
		{"a.test", "http://b.a.test/there", false},
		{"b.a.test", "http://a.test/there", false},
	} {
		r := lab.Request{URL: "http://" + tt.from + "/", Header: header}
		tr, all := hops(t, r, map[string]string{tt.from + "/": "307 " + tt.to})
		want{attempts: 1}.check(t, tt.to, tr)
		if len(all) != 2 {
			t.Fatalf("%s to %s: %d requests", tt.from, tt.to, len(all))
		}
		for name := range header {
			if got := all[1].header.Get(name) != ""; got != tt.kept {
				t.Errorf("%s to %s: %s went along: %v", tt.from, tt.to, name, got)
			}
		}
	}
}
