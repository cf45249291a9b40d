package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	docRow  = regexp.MustCompile(`^\| ([A-Z]{2}-\d{2}) \|(.*)\|$`)
	docTest = regexp.MustCompile("`([a-z_/]+_test\\.go):((?:Test|Fuzz)\\w+)`")
)

// TestCasesDocument: each reported fault stands in docs/CASES.md once, with what broke, what is right here and a test;
// and each test that is named there exists.
func TestCasesDocument(t *testing.T) {
	ids := map[string]int{}
	for id := range strings.FieldsSeq(read(t, filepath.Join("testdata", "cases-ids.txt"))) {
		ids[id] = 0
	}
	files := map[string]string{}
	for n, line := range strings.Split(read(t, filepath.Join("docs", "CASES.md")), "\n") {
		row := docRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		id := row[1]
		if _, ok := ids[id]; !ok {
			t.Errorf("line %d: %s is no id of testdata/cases-ids.txt", n+1, id)
		}
		ids[id]++
		cells := strings.Split(row[2], "|")
		if len(cells) != 3 || strings.TrimSpace(cells[0]) == "" || strings.TrimSpace(cells[1]) == "" {
			t.Errorf("line %d: %s does not have three cells", n+1, id)
			continue
		}
		tests := docTest.FindAllStringSubmatch(cells[2], -1)
		if rest := strings.TrimSpace(docTest.ReplaceAllString(cells[2], "")); rest != "" || len(tests) == 0 {
			t.Errorf("line %d: %s names %d tests and %q", n+1, id, len(tests), rest)
		}
		for _, ref := range tests {
			file, name := ref[1], ref[2]
			if _, ok := files[file]; !ok {
				files[file] = read(t, filepath.FromSlash(file))
			}
			if !strings.Contains(files[file], "\nfunc "+name+"(") {
				t.Errorf("line %d: %s has no %s", n+1, file, name)
			}
		}
	}
	if len(ids) != 116 {
		t.Errorf("%d ids, there are 116", len(ids))
	}
	for id, times := range ids {
		if times != 1 {
			t.Errorf("%s stands in docs/CASES.md %d times", id, times)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
