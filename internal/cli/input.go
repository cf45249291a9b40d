package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// maxInput bounds a script, a body and a file of headers, in bytes.
const maxInput = 16 << 20

// input reads what flags name: @FILE, or @- for standard input, which only one of them can have.
type input struct {
	ctx   context.Context // a signal ends the reading
	stdin io.Reader
	taken string // the flag that reads standard input
}

// at is a flag's value, or what @FILE or @- holds.
func (in *input) at(flag, value string) (string, error) {
	name, ok := strings.CutPrefix(value, "@")
	if !ok {
		return value, nil
	}
	text, err := in.read(flag, name)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", flag, value, bare(err))
	}
	return text, nil
}

func (in *input) read(flag, name string) (string, error) {
	open := func() (io.ReadCloser, error) { return os.Open(name) }
	switch name {
	case "":
		return "", errors.New("a file's name, or - for standard input, after the @")
	case "-":
		if in.taken != "" {
			return "", fmt.Errorf("standard input is read by %s already", in.taken)
		}
		in.taken = flag
		open = func() (io.ReadCloser, error) { return io.NopCloser(in.stdin), nil }
	}
	data, err := slurp(in.ctx, maxInput, open)
	if errors.Is(err, errTooLong) {
		err = fmt.Errorf("longer than %d bytes", maxInput)
	}
	return string(data), err
}

var errTooLong = errors.New("too long")

// slurp reads all there is, errTooLong where that is more than most bytes. Opening a pipe that nobody writes to takes
// for ever, and so does reading a terminal: when ctx ends, what reads is left behind, for the program ends too.
func slurp(ctx context.Context, most int64, open func() (io.ReadCloser, error)) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		f, err := open()
		if err != nil {
			done <- result{err: err}
			return
		}
		defer f.Close() //nolint:errcheck // it was only read
		data, err := io.ReadAll(io.LimitReader(f, most+1))
		if err == nil && int64(len(data)) > most {
			err = errTooLong
		}
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		return r.data, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// bare is an error about a file without the file's name, which stands before it already.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// request reads what the flags say of the request. No error holds a value: it may be a secret.
func (f *flags) request(in *input, bad *faults) lab.Request {
	r := lab.Request{Method: f.method.value, Header: http.Header{}, Key: f.key.value, BodyOnce: f.bodyOnce}
	if f.given("method") && !validToken(r.Method) {
		bad.addf("--method %q: one word, like POST", r.Method)
	}
	if r.Method = lab.Method(r.Method); r.Method == "" {
		r.Method = http.MethodGet
	}
	if f.given("data") {
		body, err := in.at("--data", f.data.value)
		bad.add(err)
		r.Body, r.HasBody = []byte(body), true
	}
	if f.given("idempotency-key") && (strings.TrimSpace(r.Key) == "" || !validValue(r.Key)) {
		bad.addf("--idempotency-key: one line of text, not empty")
	}
	for _, h := range f.headers.values {
		addHeaders(in, r.Header, h, bad)
	}
	return r
}

// addHeaders reads one -H.
func addHeaders(in *input, to http.Header, value string, bad *faults) {
	text, err := in.at("--header", value)
	if err != nil {
		bad.add(err)
		return
	}
	isFile := text != value
	switch {
	case isFile:
	case strings.TrimSpace(text) == "":
		bad.addf("--header: it is empty; write 'Name: value'")
	case strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\r\n"):
		bad.addf("--header: it has more than one line; give --header again, or @FILE with one a line")
		return
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		where := "--header"
		if isFile {
			where = fmt.Sprintf("--header %s: line %d", value, n)
		}
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, v, ok := strings.Cut(line, ":")
		name, v = strings.TrimSpace(name), strings.TrimSpace(v)
		switch {
		case !ok || !validToken(name):
			bad.addf("%s: it has no name before a colon; write 'Name: value'", where)
		case !validValue(v):
			bad.addf("%s: %s: a value is one line without control characters", where, name)
		case lab.Framing(name):
			bad.addf("%s: %s: it is made from the body, and cannot be given", where, name)
		default:
			to.Add(name, v)
		}
	}
}

// validToken tells whether s is a token of RFC 9110, section 5.6.2.
func validToken(s string) bool {
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}

// validValue tells whether s can be a header's value: RFC 9110, section 5.5.
func validValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// checkURL refuses what is no http or https URL with a host, as the run itself would.
func checkURL(raw string) error {
	r := lab.Request{URL: raw}
	err := r.Check()
	if err == nil {
		return nil
	}
	scheme, _, ok := strings.Cut(raw, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return fmt.Errorf("%q: neither a command (%s) nor a URL that begins with http:// or https://", trace.RedactURL(raw), strings.Join(commandNames(), ", "))
	}
	return err
}

// commandNames are those of all commands, in the order of the help.
func commandNames() []string {
	var names []string
	for _, c := range newRoot(&Env{}).Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return append(names, "help") // which cobra adds in the end
}
