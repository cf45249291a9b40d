package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/retryscope/retryscope/engine"
)

// number is a number of JSON or YAML.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

// object is a map of JSON or YAML.
type object = map[string]any

// sorted are the keys of an object.
func sorted(o object) []string {
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// find looks through a document for the objects under a key, in order.
func find(v any, key string) []found {
	var out []found
	switch v := v.(type) {
	case object:
		for _, k := range sorted(v) {
			if o, ok := v[k].(object); ok && k == key {
				out = append(out, found{v, o})
				continue
			}
			out = append(out, find(v[k], key)...)
		}
	case []any:
		for _, e := range v {
			out = append(out, find(e, key)...)
		}
	}
	return out
}

// found is an object and the one it stands in.
type found struct{ in, is object }

// first takes the first of several policies and lists that there are more.
func (r *reading) first(all []found, what string) (found, error) {
	if len(all) == 0 {
		return found{}, ErrNoPolicy
	}
	if len(all) > 1 {
		r.ignore("%d more %s: the first was read", len(all)-1, what)
	}
	return all[0], nil
}

// rest lists the keys of an object that were not read.
func (r *reading) rest(o object, path string, read ...string) {
	for _, k := range sorted(o) {
		if !slices.Contains(read, k) {
			r.ignore("%s%s", path, k)
		}
	}
}

// list is a value as a list of texts: a list, or a text split at commas.
func list(v any) []string {
	var out []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = append(out, fmt.Sprint(e))
		}
	case string:
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
	}
	return out
}

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
		return err
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
	if v, ok := m["timeout"]; ok {
		r.p.Timeout = r.span("timeout", v, time.Second)
	}
	if o, ok := m["retryPolicy"].(object); ok {
		r.grpcPolicy(o)
	}
	return nil
}

func (r *reading) grpcPolicy(o object) {
	r.rest(o, "retryPolicy: ", "maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes")
	n := r.count("maxAttempts", o["maxAttempts"], 2)
	if n > 5 {
		r.ignore("maxAttempts above 5: a client takes 5 at most")
	}
	r.p.Attempts = min(n, 5)
	r.p.Base = r.span("initialBackoff", o["initialBackoff"], time.Second)
	r.p.Cap = r.span("maxBackoff", o["maxBackoff"], time.Second)
	if f, ok := number(o["backoffMultiplier"]); ok && f >= 1 {
		r.p.Factor = f
	} else {
		r.bad("backoffMultiplier", fmt.Sprint(o["backoffMultiplier"]), "1 or more")
	}
	codes, _ := o["retryableStatusCodes"].([]any)
	for _, c := range codes {
		name := strings.ToUpper(fmt.Sprint(c))
		if n, ok := number(c); ok && n >= 0 && int(n) < len(grpcCodes) {
			name = grpcCodes[int(n)]
		}
		status, ok := grpcStatus[name]
		if !ok {
			r.bad("retryableStatusCodes", name, "a code of gRPC")
			continue
		}
		switch name {
		case "UNKNOWN", "ALREADY_EXISTS", "FAILED_PRECONDITION", "OUT_OF_RANGE", "DATA_LOSS":
			r.ignore("%s: read as %d, which other codes stand for too", name, status)
		}
		r.p.RetryOn.Statuses.Add(status)
	}
}

// yamlDocuments reads all documents of a YAML file.
func yamlDocuments(text string) (any, error) {
	var all []any
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc any
		err := d.Decode(&doc)
		if err != nil {
			if len(all) > 0 && err.Error() == "EOF" {
				return all, nil
			}
			if err.Error() == "EOF" {
				return nil, ErrNoPolicy
			}
			return nil, err
		}
		all = append(all, doc)
	}
}

// readEnvoy reads the first retry policy of a route or a virtual host.
func readEnvoy(text string, r *reading) error {
	doc, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	r.set("attempts=1 base=25ms cap=250ms curve=exponential factor=2 jitter=full retry-after=ignore timeout=15s attempt-timeout=none retry-on=none methods=any")
	at, err := r.first(find(doc, "retry_policy"), "retry_policy")
	if err != nil {
		routes := find(doc, "route")
		if len(routes) == 0 {
			return err
		}
		at = found{routes[0].is, object{}}
	} else {
		r.p.Attempts = 2
	}
	if v, ok := at.in["timeout"]; ok {
		r.p.Timeout = r.span("timeout", v, time.Second)
	}
	r.rest(at.in, "route: ", "timeout", "retry_policy", "cluster")
	o := at.is
	r.rest(o, "retry_policy: ", "retry_on", "num_retries", "per_try_timeout", "retry_back_off", "retriable_status_codes")
	if v, ok := o["num_retries"]; ok {
		r.p.Attempts = r.count("num_retries", v, 0) + 1
	}
	if v, ok := o["per_try_timeout"]; ok {
		r.p.AttemptTimeout = r.span("per_try_timeout", v, time.Second)
	}
	if b, ok := o["retry_back_off"].(object); ok {
		r.rest(b, "retry_back_off: ", "base_interval", "max_interval")
		r.p.Base = r.span("base_interval", b["base_interval"], time.Second)
		r.p.Cap = 10 * r.p.Base
		if v, ok := b["max_interval"]; ok {
			r.p.Cap = r.span("max_interval", v, time.Second)
		}
	}
	r.proxyWords(list(o["retry_on"]), list(o["retriable_status_codes"]))
	return nil
}

// readIstio reads the retries of the first route that has some.
func readIstio(text string, r *reading) error {
	doc, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	at, err := r.first(find(doc, "retries"), "retries")
	if err != nil {
		return err
	}
	r.set("attempts=3 base=25ms cap=250ms curve=exponential factor=2 jitter=full retry-after=ignore timeout=none attempt-timeout=none retry-on=none methods=any")
	if v, ok := at.in["timeout"]; ok {
		r.p.Timeout = r.span("timeout", v, time.Second)
	}
	r.rest(at.in, "http: ", "timeout", "retries", "route", "match", "name")
	o := at.is
	r.rest(o, "retries: ", "attempts", "perTryTimeout", "retryOn")
	if v, ok := o["attempts"]; ok {
		r.p.Attempts = r.count("attempts", v, 0) + 1
	}
	if v, ok := o["perTryTimeout"]; ok {
		r.p.AttemptTimeout = r.span("perTryTimeout", v, time.Second)
	}
	on := list(o["retryOn"])
	if len(on) == 0 {
		on = []string{"connect-failure", "refused-stream", "unavailable", "cancelled", "503"}
	}
	r.proxyWords(on, nil)
	return nil
}

// proxyWords reads Envoy's retry_on. codes are those of retriable-status-codes.
func (r *reading) proxyWords(on, codes []string) {
	s := &r.p.RetryOn
	for _, w := range on {
		switch w {
		case "5xx":
			s.Statuses.AddRange(500, 599)
			s.SetKind(engine.KindTransport, true)
			s.SetKind(engine.KindTimeout, true)
		case "gateway-error":
			s.Statuses.AddRange(502, 504)
		case "reset", "reset-before-request":
			s.SetKind(engine.KindTransport, true)
			s.SetKind(engine.KindTimeout, true)
		case "connect-failure":
			s.SetCause(engine.CauseRefused, 1)
		case "refused-stream":
			s.SetCause(engine.CauseHTTP2, 1)
		case "retriable-4xx":
			s.Statuses.Add(409)
		case "unavailable":
			s.Statuses.Add(503)
		case "resource-exhausted":
			s.Statuses.Add(429)
		case "retriable-status-codes":
			for _, c := range codes {
				r.status(c)
			}
		default:
			if _, err := strconv.Atoi(w); err == nil {
				r.status(w)
				continue
			}
			r.ignore("retry on %s", w)
		}
	}
	if s.HasKind(engine.KindTransport) { // which takes them in
		s.SetCause(engine.CauseRefused, 0)
		s.SetCause(engine.CauseHTTP2, 0)
	}
}

func (r *reading) status(text string) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 100 || n > 599 || n/100 == 2 {
		r.bad("status", text, "100 to 599, and no 2xx")
		return
	}
	r.p.RetryOn.Statuses.Add(n)
}

// readResilience reads the first instance, or configuration, of a Resilience4j retry, as Spring Boot has it.
func readResilience(text string, r *reading) error {
	doc, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	all := append(find(doc, "instances"), find(doc, "configs")...)
	if len(all) == 0 || len(all[0].is) == 0 {
		return ErrNoPolicy
	}
	names := sorted(all[0].is)
	if len(names) > 1 {
		r.ignore("%d more: %s was read", len(names)-1, names[0])
	}
	o, _ := all[0].is[names[0]].(object)
	camel := object{} // Spring takes max-attempts for maxAttempts
	for k, v := range o {
		camel[camelCase(k)] = v
	}
	r.set("attempts=3 base=500ms cap=none cap-stage=after curve=constant jitter=none retry-after=ignore timeout=none attempt-timeout=none retry-on=transport,timeout methods=any")
	r.resilience(camel)
	return nil
}

func (r *reading) resilience(o object) {
	read := []string{"maxAttempts", "waitDuration", "retryExceptions", "enableExponentialBackoff", "enableRandomizedWait", "exponentialBackoffMultiplier", "exponentialMaxWaitDuration", "randomizedWaitFactor"}
	r.rest(o, "", read...)
	if v, ok := o["maxAttempts"]; ok {
		r.p.Attempts = r.count("maxAttempts", v, 1)
	}
	if v, ok := o["waitDuration"]; ok {
		r.p.Base = r.span("waitDuration", v, time.Millisecond)
	}
	if o["enableExponentialBackoff"] == true {
		r.p.Curve, r.p.Factor = engine.CurveExponential, 1.5
		if f, ok := number(o["exponentialBackoffMultiplier"]); ok && f >= 1 {
			r.p.Factor = f
		}
		if v, ok := o["exponentialMaxWaitDuration"]; ok {
			r.p.Cap = r.span("exponentialMaxWaitDuration", v, time.Millisecond)
		}
	}
	if o["enableRandomizedWait"] == true {
		f, ok := number(o["randomizedWaitFactor"])
		if !ok {
			f = 0.5
		}
		if f < 0 || f >= 1 {
			r.bad("randomizedWaitFactor", fmt.Sprint(f), "0 or more, below 1")
			f = 0
		}
		r.p.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: 1 - f, Hi: 1 + f}
	}
	if v, ok := o["retryExceptions"]; ok {
		r.p.RetryOn = engine.RetryOn{}
		for _, name := range list(v) {
			switch name {
			case "java.io.IOException":
				r.p.RetryOn.SetKind(engine.KindTransport, true)
			case "java.util.concurrent.TimeoutException":
				r.p.RetryOn.SetKind(engine.KindTimeout, true)
			default:
				r.ignore("retryExceptions: %s", name)
			}
		}
	}
}

// camelCase is a key as Java writes it.
func camelCase(s string) string {
	parts := strings.Split(s, "-")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}
