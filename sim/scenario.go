package sim

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"github.com/retryscope/retryscope/engine"
)

// Scenario is a fleet that has a name, without its policy.
type Scenario struct {
	// Name is its word, Title a line, Story what there is to see.
	Name, Title, Story string
	// Policies are those worth comparing in it, as the texts that a policy is given by.
	Policies []string
	// Fleet has everything but the policy; its seed is 1.
	Fleet Config
}

//go:embed scenarios/*.toml
var scenarioFiles embed.FS

// scenarioOrder is the order of the built-in ones: from the simplest to the hardest.
var scenarioOrder = []string{"herd", "outage", "brownout", "rate-limit", "metastable", "nested"}

// ScenarioNames are those of the built-in ones, in that order.
func ScenarioNames() []string { return slices.Clone(scenarioOrder) }

// Scenarios are the built-in ones.
func Scenarios() []Scenario {
	out := make([]Scenario, 0, len(scenarioOrder))
	for _, name := range scenarioOrder {
		text, err := scenarioFiles.ReadFile("scenarios/" + name + ".toml")
		if err != nil {
			panic(err) // it is built in
		}
		s, err := ParseScenario(name+".toml", text)
		if err != nil {
			panic(err)
		}
		out = append(out, s)
	}
	return out
}

// ScenarioText is the file of a built-in scenario.
func ScenarioText(name string) ([]byte, bool) {
	text, err := scenarioFiles.ReadFile("scenarios/" + name + ".toml")
	return text, err == nil
}

// DefaultFleet is a herd of 1000 at a server that lets in 200 a second and is down for the first 10 seconds.
func DefaultFleet() Config {
	return Config{
		Policy: engine.Default(),
		Load:   Load{Kind: Herd, Clients: 1000},
		Server: Server{Limit: 200, Refusal: 503},
		Faults: []Fault{{Kind: Down, To: 10 * second}},
		Budget: Guard{Kind: PolicyBudget},
		Layers: 1, Method: "GET", Seed: 1, Bucket: DefaultBucket,
	}
}

// emptyFleet is what a scenario starts from.
func emptyFleet() Config {
	return Config{
		Policy: engine.Default(),
		Load:   Load{Clients: 1}, Server: Server{Refusal: 503}, Budget: Guard{Kind: PolicyBudget},
		Layers: 1, Method: "GET", Seed: 1, Bucket: DefaultBucket,
	}
}

// ErrNoSetting says that a scenario's file has no key, and which is the smallest that does.
var ErrNoSetting = errors.New("no setting in it; the smallest scenario is the two lines [fleet] and clients = 100")

// ParseScenario reads a scenario's TOML: title, story, policies, and under [fleet] the Fields by their names. The file's
// name gives the scenario's. An error says which line or setting, and what is allowed; all of them are named at once. A
// file that sets nothing at all is ErrNoSetting: it is rather the wrong file than a wish for a fleet of one client.
func ParseScenario(file string, text []byte) (Scenario, error) {
	raw := map[string]any{}
	s := Scenario{Name: strings.TrimSuffix(path.Base(file), ".toml"), Fleet: emptyFleet()}
	if err := toml.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &raw); err != nil {
		return s, tomlError(file, err)
	}
	errs := s.words(raw)
	table, ok := raw["fleet"].(map[string]any)
	if len(table) == 0 && (len(raw) == 0 || ok && len(raw) == 1) {
		errs = append(errs, ErrNoSetting)
	}
	if ok {
		errs = append(errs, s.settings(table)...)
	} else if raw["fleet"] != nil {
		errs = append(errs, &FieldError{"fleet", short(raw["fleet"]), "a table: [fleet]"})
	}
	if len(errs) == 0 {
		if err := s.Fleet.Validate(); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return s, fmt.Errorf("%s: %w", file, errors.Join(errs...))
	}
	return s, nil
}

// words reads everything but the settings.
func (s *Scenario) words(raw map[string]any) (errs []error) {
	bad := func(name string, v any, allowed string) { errs = append(errs, &FieldError{name, short(v), allowed}) }
	for _, name := range sortedKeys(raw) {
		v := raw[name]
		text, isText := v.(string)
		switch {
		case name == "fleet":
		case name == "policies":
			list, ok := v.([]any)
			for _, e := range list {
				policy, isText := e.(string)
				ok = ok && isText
				s.Policies = append(s.Policies, policy)
			}
			if !ok {
				bad(name, v, "a list of texts, each a policy")
			}
		case name != "title" && name != "story":
			bad(name, v, "title, story, policies and [fleet], and nothing else")
		case !isText:
			bad(name, v, "a text")
		case name == "title":
			s.Title = strings.Join(strings.Fields(plain(text)), " ")
		default:
			s.Story = strings.TrimSpace(plain(text))
		}
	}
	return errs
}

// settings reads the table [fleet].
func (s *Scenario) settings(table map[string]any) (errs []error) {
	for _, name := range sortedKeys(table) {
		value, err := fieldText(table[name])
		if err != nil {
			errs = append(errs, &FieldError{name, short(table[name]), "a text, a number, true or false, or a list of texts"})
			continue
		}
		if err := s.Fleet.Set(name, value); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// short is a value of a file as an error shows it.
func short(v any) string {
	const most = 60
	text := []rune(fmt.Sprint(v))
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return plain(string(text))
}

// plain leaves out what would act on a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}

func tomlError(file string, err error) error {
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, col := decode.Position()
		return fmt.Errorf("%s:%d:%d: %w", file, row, col, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// fieldText is a TOML value as the text that Set reads.
func fieldText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, int64:
		return fmt.Sprint(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case []any:
		var parts []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return "", errForm
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, "; "), nil
	default:
		return "", errForm
	}
}
