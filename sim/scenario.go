package sim

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

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

// ParseScenario reads a scenario's TOML: title, story, policies, and under [fleet] the Fields by their names. The file's
// name gives the scenario's. An error says which line or setting, and what is allowed; all of them are named at once.
func ParseScenario(file string, text []byte) (Scenario, error) {
	var raw struct {
		Title    string         `toml:"title"`
		Story    string         `toml:"story"`
		Policies []string       `toml:"policies"`
		Fleet    map[string]any `toml:"fleet"`
	}
	s := Scenario{Name: strings.TrimSuffix(path.Base(file), ".toml"), Fleet: emptyFleet()}
	d := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields()
	if err := d.Decode(&raw); err != nil {
		return s, tomlError(file, err)
	}
	s.Title, s.Story, s.Policies = raw.Title, strings.TrimSpace(raw.Story), raw.Policies
	names := make([]string, 0, len(raw.Fleet))
	for name := range raw.Fleet {
		names = append(names, name)
	}
	slices.Sort(names)
	var errs []error
	for _, name := range names {
		value, err := fieldText(raw.Fleet[name])
		if err == nil {
			err = s.Fleet.Set(name, value)
		} else {
			err = &FieldError{name, fmt.Sprint(raw.Fleet[name]), "a text, a number, true or false, or a list of texts"}
		}
		if err != nil {
			errs = append(errs, err)
		}
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

func tomlError(file string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		row, col := strict.Errors[0].Position()
		return fmt.Errorf("%s:%d:%d: %q is not known here: allowed is title, story, policies, [fleet]", file, row, col,
			strings.Join(strict.Errors[0].Key(), "."))
	}
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
	case bool, int64, float64:
		return fmt.Sprint(v), nil
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
