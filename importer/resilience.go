package importer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// readResilience reads the first instance, or configuration, of a Resilience4j retry, as Spring Boot has it.
func readResilience(text string, r *reading) error {
	docs := []any{properties(text)}
	if docs[0] == nil {
		var err error
		if docs, err = yamlDocuments(text); err != nil {
			return err
		}
	}
	for _, d := range docs {
		o, _ := d.(object)
		if retry, ok := r.retryModule(nested(o)); ok {
			return r.module(retry)
		}
	}
	return ErrNoPolicy
}

// retryModule is what a document says of the module for retries: under resilience4j, or as a part that was cut out.
func (r *reading) retryModule(doc object) (object, bool) {
	whole := springObject(doc, "resilience4j")
	for _, o := range []object{springObject(whole, "retry"), springObject(doc, "retry"), doc} {
		if len(springObject(o, "instances"))+len(springObject(o, "backends"))+len(springObject(o, "configs")) == 0 {
			continue
		}
		for _, k := range sorted(whole) {
			if springName(k) != "retry" {
				r.ignore("resilience4j.%s", k)
			}
		}
		return o, true
	}
	return nil, false
}

// level is an instance or configuration: what it says itself.
type level struct {
	name string
	o    object
}

func (r *reading) module(retry object) error {
	configs := springObject(retry, "configs")
	instances := springObject(retry, "instances")
	if len(instances) == 0 {
		instances = springObject(retry, "backends")
	}
	r.springRest(retry, "", "instances", "backends", "configs")
	all := instances
	if len(all) == 0 {
		all = configs
	}
	names := sorted(all)
	name := names[0]
	if _, ok := configs[defaultConfig]; ok && len(instances) == 0 {
		name = defaultConfig
	}
	if len(names) > 1 {
		r.ignore("%d more: %s was read", len(names)-1, name)
	}
	o, ok := all[name].(object)
	if !ok && all[name] != nil {
		r.bad(name, fmt.Sprint(all[name]), "an object, with names of its own")
	}
	levels, err := inherited(level{name, o}, configs)
	if err != nil {
		return err
	}
	r.set("attempts=3 base=500ms cap=none cap-stage=after curve=constant jitter=none retry-after=ignore timeout=none attempt-timeout=none retry-on=transport,timeout methods=any")
	for i, l := range levels {
		r.level(l, levels, i)
	}
	return nil
}

const defaultConfig = "default"

// inherited are a level and what it stands on, that first: its baseConfig, or the default where it has none.
func inherited(l level, configs object) ([]level, error) {
	levels := []level{l}
	for {
		base := defaultConfig
		v, named := spring(l.o, "baseConfig")
		if named {
			base = fmt.Sprint(v)
		}
		o, ok := configs[base].(object)
		switch {
		case !named && (!ok || l.name == defaultConfig):
			return levels, nil
		case !ok:
			return nil, &engine.FieldError{Field: "baseConfig", Value: base, Allowed: "a name of configs: " + strings.Join(sorted(configs), ", ")}
		case len(levels) > len(configs):
			return nil, &engine.FieldError{Field: "baseConfig", Value: base, Allowed: "a configuration that does not stand on itself"}
		}
		l = level{base, o}
		levels = slices.Insert(levels, 0, l)
	}
}

// waitNames are what a level says of waits. Resilience4j looks at them where the level has a waitDuration, and takes the
// first four from the level that this one stands on.
var waitNames = []string{
	"enableExponentialBackoff", "enableRandomizedWait", "exponentialBackoffMultiplier", "exponentialMaxWaitDuration", "randomizedWaitFactor",
}

// level puts what a level says upon what those before it say.
func (r *reading) level(l level, levels []level, i int) {
	r.springRest(l.o, "", append([]string{"baseConfig", "maxAttempts", "waitDuration", "retryExceptions"}, waitNames...)...)
	if v, ok := spring(l.o, "maxAttempts"); ok {
		r.p.Attempts = r.count("maxAttempts", numeral(v), 1)
	}
	if v, ok := spring(l.o, "retryExceptions"); ok {
		r.exceptions(v)
	}
	r.values(l.o)
	own := object{}
	for k, name := range waitNames {
		v, ok := spring(l.o, name)
		if !ok && i > 0 && k < 4 {
			v, ok = spring(levels[i-1].o, name)
		}
		if ok {
			own[name] = v
		}
	}
	if v, ok := spring(l.o, "waitDuration"); ok {
		r.waits(r.springSpan("waitDuration", v), own)
		return
	}
	for _, name := range waitNames {
		_, said := spring(l.o, name)
		if said && (i+1 == len(levels) || !has(levels[i+1].o, "waitDuration")) {
			r.ignore("%s of %s: Resilience4j looks at it beside a waitDuration alone", name, l.name)
		}
	}
}

// values refuses what Resilience4j refuses of a level, whether it looks at it later or not.
func (r *reading) values(o object) {
	own := object{}
	for _, name := range waitNames {
		if v, ok := spring(o, name); ok {
			own[name] = v
		}
	}
	r.flag(own, "enableExponentialBackoff")
	r.flag(own, "enableRandomizedWait")
	r.spreadFactor(own)
	if v, ok := own["exponentialMaxWaitDuration"]; ok {
		r.springSpan("exponentialMaxWaitDuration", v)
	}
	if v, ok := own["exponentialBackoffMultiplier"]; ok {
		if f, ok := decimal(v); !ok || f <= 0 {
			r.bad("exponentialBackoffMultiplier", fmt.Sprint(v), "above 0")
		}
	}
}

func has(o object, name string) bool {
	_, ok := spring(o, name)
	return ok
}

// waits reads what stands beside a waitDuration: configureRetryIntervalFunction of Resilience4j's
// CommonRetryConfigurationProperties.
func (r *reading) waits(base time.Duration, o object) {
	b := &r.p.Backoff
	b.Base, b.Curve, b.Cap, b.Jitter = base, engine.CurveConstant, engine.NoCap, engine.Jitter{}
	grows, random := r.flag(o, "enableExponentialBackoff"), r.flag(o, "enableRandomizedWait")
	if (grows || random) && base < time.Millisecond {
		r.bad("waitDuration", engine.FormatDuration(base), "1ms or more where waits grow or are random")
	}
	reach, given := r.spreadFactor(o)
	if random && grows && !has(o, "exponentialBackoffMultiplier") && given {
		r.ignore("randomizedWaitFactor: Resilience4j looks at it beside an exponentialBackoffMultiplier alone where waits grow")
		reach = 0.5
	}
	if random {
		b.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: 1 - reach, Hi: 1 + reach}
	}
	if !grows {
		return
	}
	b.Curve, b.Factor = engine.CurveExponential, 1.5
	v, many := o["exponentialBackoffMultiplier"]
	if many {
		f, ok := decimal(v)
		if ok && f > 0 && f < 1 {
			r.bad("exponentialBackoffMultiplier", fmt.Sprint(v), "1 or more where waits grow: Resilience4j refuses another")
		}
		b.Factor = max(f, 1)
	}
	if v, ok := o["exponentialMaxWaitDuration"]; ok {
		longest := r.springSpan("exponentialMaxWaitDuration", v)
		if many && (!random || given) {
			b.Cap = longest
		} else {
			r.ignore("exponentialMaxWaitDuration: Resilience4j looks at it beside an exponentialBackoffMultiplier alone, and a randomizedWaitFactor where waits are random")
		}
	}
}

// spreadFactor is the part of a wait by which it may be longer or shorter.
func (r *reading) spreadFactor(o object) (reach float64, given bool) {
	v, ok := o["randomizedWaitFactor"]
	if !ok {
		return 0.5, false
	}
	f, ok := decimal(v)
	if !ok || f < 0 || f >= 1 {
		r.bad("randomizedWaitFactor", fmt.Sprint(v), "0 or more, below 1")
		return 0, true
	}
	return f, true
}

func (r *reading) exceptions(v any) {
	r.p.RetryOn = engine.RetryOn{}
	names, ok := v.([]any)
	if o, numbered := v.(object); numbered {
		ok = true
		for _, k := range sorted(o) {
			names = append(names, o[k])
		}
	}
	if text, one := v.(string); one {
		ok = true
		for w := range strings.SplitSeq(text, ",") {
			names = append(names, strings.TrimSpace(w))
		}
	}
	if !ok {
		r.bad("retryExceptions", fmt.Sprint(v), "names of classes, as a list or with commas")
	}
	for _, name := range names {
		switch name {
		case "java.io.IOException":
			r.p.RetryOn.SetKind(engine.KindTransport, true)
		case "java.util.concurrent.TimeoutException":
			r.p.RetryOn.SetKind(engine.KindTimeout, true)
		default:
			r.ignore("retryExceptions: %v", name)
		}
	}
}
