package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// confidence is benchstat's.
const confidence = 0.95

// key names one measured quantity: which benchmark, by whom, in what unit.
type key struct{ bench, by, unit string }

// samples are the measurements of one run.
type samples struct {
	machine string
	values  map[key][]float64
}

// parse reads the Go benchmark format. A line it cannot read is an error: a result lost in silence would look like
// one that was never asked for.
func parse(output []byte) (samples, error) {
	s := samples{values: map[key][]float64{}}
	reader := benchfmt.NewReader(bytes.NewReader(output), "benchmarks")
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			s.add(record)
		case *benchfmt.SyntaxError:
			return samples{}, record
		default: // the metadata of units are of no use here
		}
	}
	if err := reader.Err(); err != nil {
		return samples{}, err
	}
	if len(s.values) == 0 {
		return samples{}, fmt.Errorf("no result of a benchmark in %d bytes", len(output))
	}
	return s, nil
}

func (s *samples) add(r *benchfmt.Result) {
	s.machine = strings.Join([]string{r.GetConfig("goos"), r.GetConfig("goarch"), r.GetConfig("cpu")}, ", ")
	base, parts := r.Name.Parts()
	by := ""
	for _, part := range parts {
		if name, ok := bytes.CutPrefix(part, []byte("/by=")); ok {
			by = string(name)
		}
	}
	for _, v := range r.Values {
		k := key{string(base), by, v.Unit}
		s.values[k] = append(s.values[k], v.Value)
	}
}

// summary is the median of a quantity and the interval it lies in; ok is false where it was not measured.
func (s samples) summary(k key) (sum benchmath.Summary, ok bool) {
	values := s.values[k]
	if len(values) == 0 {
		return benchmath.Summary{Center: math.NaN()}, false
	}
	sample := benchmath.NewSample(append([]float64(nil), values...), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, confidence), true
}

// contestants are those who ran a benchmark, in no order.
func (s samples) contestants(bench, unit string) []string {
	var all []string
	for k := range s.values {
		if k.bench == bench && k.unit == unit {
			all = append(all, k.by)
		}
	}
	return all
}
