package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

var lineFormat = Format{
	ID: "line", Name: "one line of text", File: "policy.txt", fit: func(*draft) {},
	body: func(d *draft) string { return d.String() + "\n" },
}

var tomlFormat = Format{
	ID: "toml", Name: "a TOML file", File: "policy.toml", fit: func(*draft) {},
	body: func(d *draft) string { return TOML(&d.Policy) },
}

// TOML is every knob of a policy as it is, as a policy file has it.
func TOML(p *engine.Policy) string {
	var b strings.Builder
	b.WriteString("# A retry policy for retryscope: every knob, in the words of its one-line form.\n")
	for _, name := range engine.Fields() {
		v, _ := p.Get(name)
		if !isNumber(v) {
			v = strconv.Quote(v)
		}
		fmt.Fprintf(&b, "%s = %s\n", name, v)
	}
	return b.String()
}

// isNumber tells whether a value may stand in TOML without quotes and read back as the same text.
func isNumber(v string) bool {
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		return strconv.FormatInt(n, 10) == v
	}
	f, err := strconv.ParseFloat(v, 64)
	return err == nil && strconv.FormatFloat(f, 'g', -1, 64) == v && strings.Trim(v, "0123456789") == "."
}
