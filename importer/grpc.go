package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// grpcStatus are the HTTP statuses of gRPC's codes, as google.rpc.Code has them.
var grpcStatus = map[string]int{
	"CANCELLED": 499, "UNKNOWN": 500, "INVALID_ARGUMENT": 400, "DEADLINE_EXCEEDED": 504, "NOT_FOUND": 404, "ALREADY_EXISTS": 409,
	"PERMISSION_DENIED": 403, "UNAUTHENTICATED": 401, "RESOURCE_EXHAUSTED": 429, "FAILED_PRECONDITION": 400, "ABORTED": 409,
	"OUT_OF_RANGE": 400, "UNIMPLEMENTED": 501, "INTERNAL": 500, "UNAVAILABLE": 503, "DATA_LOSS": 500,
}

// grpcCodes are the codes by number.
var grpcCodes = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// readGRPC reads a service config: the first method that has a retry policy.
func readGRPC(text string, r *reading) error {
	var doc object
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return atLine(text, err)
	}
	methods, _ := doc["methodConfig"].([]any)
	if len(methods) == 0 {
		return ErrNoPolicy
	}
	r.set("attempts=1 curve=exponential factor=2 jitter=scale:0.8..1.2 retry-after=replace ceiling=none timeout=none attempt-timeout=none retry-on=none methods=any")
	r.rest(doc, "", "methodConfig", "//")
	pick := 0
	for i, m := range methods {
		if o, ok := m.(object); ok && o["retryPolicy"] != nil {
			pick = i
			break
		}
	}
	if len(methods) > 1 {
		r.ignore("%d more of methodConfig: number %d was read", len(methods)-1, pick+1)
	}
	m, _ := methods[pick].(object)
	r.rest(m, "methodConfig: ", "name", "retryPolicy", "timeout")
	if _, ok := m["name"].([]any); !ok {
		r.ignore("methodConfig without a name: it is for no method")
	}
	if v := m["timeout"]; v != nil {
		r.p.Timeout = r.longerSpan("timeout", v, "every call would end at once")
	}
	if o, ok := r.member(m, "retryPolicy"); ok {
		r.grpcPolicy(o)
	}
	return nil
}

var errNoObject = errors.New("no JSON object stands there")

// atLine puts the line on an error of JSON.
func atLine(text string, err error) error {
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) {
		return errNoObject
	}
	return fmt.Errorf("no JSON: line %d: %w", 1+strings.Count(text[:min(max(int(wrong.Offset)-1, 0), len(text))], "\n"), err)
}

func (r *reading) grpcPolicy(o object) {
	r.rest(o, "retryPolicy: ", "maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes")
	n := r.count("maxAttempts", o["maxAttempts"], 2)
	if n > 5 {
		r.ignore("maxAttempts above 5: a client takes 5 at most")
	}
	r.p.Attempts = min(n, 5)
	r.p.Base = r.longerSpan("initialBackoff", o["initialBackoff"], "gRPC refuses it")
	r.p.Cap = r.longerSpan("maxBackoff", o["maxBackoff"], "gRPC refuses it")
	switch f, ok := number(o["backoffMultiplier"]); {
	case !ok || f <= 0:
		r.bad("backoffMultiplier", fmt.Sprint(o["backoffMultiplier"]), "a number above 0")
	case f < 1:
		r.bad("backoffMultiplier", fmt.Sprint(f), "1 or more here: gRPC takes it, but its waits become shorter each time, and no policy here has such a curve")
	default:
		r.p.Factor = f
	}
	codes, _ := o["retryableStatusCodes"].([]any)
	if len(codes) == 0 {
		r.bad("retryableStatusCodes", fmt.Sprint(o["retryableStatusCodes"]), `a list of one or more: ["UNAVAILABLE"]; gRPC refuses an empty one`)
	}
	for _, c := range codes {
		r.grpcCode(c)
	}
}

// grpcCode reads a code as gRPC does: by its name, in capitals, or its whole number.
func (r *reading) grpcCode(c any) {
	name, _ := c.(string)
	if n, ok := number(c); ok && n >= 0 && n < float64(len(grpcCodes)) && n == float64(int(n)) {
		name = grpcCodes[int(n)]
	}
	status, ok := grpcStatus[name]
	if name == "OK" {
		r.ignore("retryableStatusCodes: OK, which is no failure")
		return
	}
	if !ok {
		r.bad("retryableStatusCodes", fmt.Sprint(c), "a code of gRPC that is a failure, by its name in capitals or its whole number: UNAVAILABLE, 14")
		return
	}
	switch name {
	case "UNKNOWN", "ALREADY_EXISTS", "FAILED_PRECONDITION", "OUT_OF_RANGE", "DATA_LOSS":
		r.ignore("%s: read as %d, which other codes stand for too", name, status)
	}
	r.p.RetryOn.Statuses.Add(status)
}
