package export

import "github.com/retryscope/retryscope/engine"

var goRetryscopeFormat = Format{
	ID: "go-retryscope", Name: "Go, retryscope's own engine", File: "retry.go", Comment: "//", fit: func(*draft) {},
	body: func(d *draft) string {
		return goFile(filled(goRetryscopeText, d), `"github.com/retryscope/retryscope/engine"`, `"github.com/retryscope/retryscope/httpretry"`)
	},
}

const goRetryscopeText = `
// Policy is what the client obeys: the text that "retryscope --policy" reads too.
const Policy = {{printf "%q" .String}}

// NewClient is an HTTP client that obeys the policy.
func NewClient() (*http.Client, error) {
	p, err := engine.ParsePolicy(Policy, engine.Default())
	if err != nil {
		return nil, err
	}
	t, err := httpretry.New(nil, p)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: t}, nil
}`

var goStdFormat = Format{
	ID: "go-std", Name: "Go, the standard library alone", File: "retry.go", Comment: "//",
	fit: func(d *draft) {
		d.jitters(engine.JitterNone, engine.JitterFull, engine.JitterEqual, engine.JitterScale, engine.JitterAdditive, engine.JitterDecorrelated)
		d.drop("throttle-base", "hints", "budget")
		d.resent()
		d.fitErrors()
	},
	body: func(d *draft) string { return goFile(filled(goStdText+goReadText, d)) },
}

// goStdText is the loop. Its client's own timeout is that of one attempt, and so counts until the answer's body is read.
// All in one function: the whole file is to be read in one look. Where the caller's context ends during a wait, the
// attempt after it comes back with that error and is not sent.
const goStdText = `
// Do sends req until the policy says stop. A request whose body has no GetBody is sent once.
func Do(client *http.Client, req *http.Request) (*http.Response, error) {
	{{- if .GoBegin}}
	{{.GoBegin}}
	{{- end}}
	for {{if .Counts}}retry := 1; ; retry++ {{end}}{
		{{- if .GoLimit}}
		try.Timeout = {{.GoLimit}}
		{{- end}}
		send := req.Clone(req.Context())
		if req.GetBody != nil {
			send.Body, _ = req.GetBody()
		}
		resp, err := {{if .GoLimit}}try{{else}}client{{end}}.Do(send)
		{{- if .Answers}}
		{{.GoRead}}
		{{- end}}
		{{.GoOwn}}
		{{- if .Asks}}
		{{.GoMeet}}
		{{- end}}
		safe := {{.GoSafe}}(req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
		heals := {{.GoStatus}} || err != nil{{.GoErrors}}
		if {{.GoStops}}!safe || !heals || req.Context().Err() != nil {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		pause, cancel := context.WithTimeout(req.Context(), wait)
		<-pause.Done()
		cancel()
	}
}
`

// goAgainText tells whether an attempt may be made again.
const goAgainText = `
func again(req *http.Request, status int, err error) bool {
	{{- if .GoErrorVars}}
	{{.GoErrorVars}}
	{{- end}}
	safe := {{.GoSafe}}(req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
	heals := {{.GoStatus}} || err != nil{{.GoErrors}}
	return safe && heals && req.Context().Err() == nil
}
`

// goReadText reads the status and Retry-After; a date in it is as far off as it is from the answer's own.
const goReadText = `
{{if .Asks}}
func read(resp *http.Response) (status int, server time.Duration, asked bool) {
	if resp == nil {
		return 0, 0, false
	}
	if at, err := http.ParseTime(resp.Header.Get("Retry-After")); err == nil {
		if sent, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			return resp.StatusCode, max(at.Sub(sent), 0), true
		}
		return resp.StatusCode, max(time.Until(at), 0), true
	}
	n, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 64)
	return resp.StatusCode, time.Duration(min(n, 9e9)) * time.Second, err == nil || errors.Is(err, strconv.ErrRange)
}
{{- end}}`
