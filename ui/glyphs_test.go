package ui

import (
	"reflect"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Every sign is one cell, by two measures, and every sign of the ASCII set is ASCII.
func TestGlyphsAreOneCell(t *testing.T) {
	t.Parallel()
	for _, g := range []*Glyphs{Unicode(), ASCII()} {
		v := reflect.ValueOf(*g)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			var runes []rune
			switch f := v.Field(i).Interface().(type) {
			case rune:
				runes = []rune{f}
			case [8]rune:
				runes = f[:]
			case string:
				runes = []rune(f)
			case bool:
				continue
			default:
				t.Fatalf("%s is a %T", name, f)
			}
			for _, r := range runes {
				if safeRune(r) != r || ansi.StringWidth(string(r)) != 1 {
					t.Errorf("%s: %q is not one safe cell", name, r)
				}
				if g.ASCII && r > '~' {
					t.Errorf("%s: %q is not ASCII", name, r)
				}
			}
			if len(runes) == 0 || runes[0] == 0 {
				t.Errorf("%s is missing (ASCII %v)", name, g.ASCII)
			}
		}
	}
}
