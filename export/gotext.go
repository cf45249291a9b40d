package export

import (
	"fmt"
	"go/format"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// goPackages are what generated code may import: by the name it is used under, in the order of the imports.
var goPackages = []struct{ name, path string }{
	{"context", "context"},
	{"tls", "crypto/tls"},
	{"errors", "errors"},
	{"io", "io"},
	{"math", "math"},
	{"rand", "math/rand/v2"},
	{"net", "net"},
	{"http", "net/http"},
	{"slices", "slices"},
	{"strconv", "strconv"},
	{"sync", "sync"},
	{"time", "time"},
}

// goFile is a Go file around code: the imports are what the code uses, and then those of the library. The code is data
// of ours, so it always parses; a test says so for every format.
func goFile(code string, libraries ...string) string {
	var b strings.Builder
	b.WriteString("package retry\n\nimport (\n")
	for _, p := range goPackages {
		if usesPackage(code, p.name) {
			fmt.Fprintf(&b, "%q\n", p.path)
		}
	}
	for i, l := range libraries {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", l)
	}
	b.WriteString(")\n\n" + strings.TrimSpace(code) + "\n")
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		return b.String()
	}
	return string(text)
}

// usesPackage tells whether code names something of a package.
func usesPackage(code, name string) bool {
	return wordAt(code, name+".", func(byte) bool { return false }) >= 0
}

// usesWord tells whether code names a variable.
func usesWord(code, name string) bool { return wordAt(code, name, isWordByte) >= 0 }

// wordAt is where text stands in code with no letter before it, nor one after that goes on; -1 for nowhere.
func wordAt(code, text string, goesOn func(byte) bool) int {
	for at := 0; ; at += len(text) {
		i := strings.Index(code[at:], text)
		if i < 0 {
			return -1
		}
		at += i
		end := at + len(text)
		if (at == 0 || !isWordByte(code[at-1])) && (end == len(code) || !goesOn(code[end])) {
			return at
		}
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// filled is a template with the draft in it. The templates are constants; one that fails is found by every test.
func filled(text string, d *draft) string {
	var b strings.Builder
	t, err := template.New("").Funcs(templateWords).Parse(text)
	if err == nil {
		err = t.Execute(&b, d)
	}
	if err != nil {
		return "export: " + err.Error()
	}
	return b.String()
}

var templateWords = template.FuncMap{
	"go": goDuration, "float": plainFloat, "ms": milliseconds, "sec": seconds, "none": func(d time.Duration) bool { return d == engine.Forever },
	"add": func(a, b int) int { return a + b },
}

// goDuration is a duration as Go writes it.
func goDuration(d time.Duration) string {
	if d == engine.Forever {
		return "math.MaxInt64"
	}
	if d == 0 {
		return "0"
	}
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%u.unit == 0 {
			if d == u.unit {
				return "time." + u.name
			}
			return strconv.FormatInt(int64(d/u.unit), 10) + "*time." + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + "*time.Nanosecond"
}

// plainFloat is a number without an exponent.
func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// milliseconds and seconds are durations in the unit most languages count in; "Infinity" for one without end.
func milliseconds(d time.Duration) string { return inUnit(d, time.Millisecond) }
func seconds(d time.Duration) string      { return inUnit(d, time.Second) }

func inUnit(d, unit time.Duration) string {
	if d == engine.Forever {
		return "Infinity"
	}
	return plainFloat(float64(d) / float64(unit))
}
