package conformance

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"
)

// older are modules of their own in the directories here: each runs a version that cannot stand in one go.mod with the
// newer one.
func older() map[string][]client {
	return map[string][]client{
		"aws147":  {{preset: "aws-sdk-go-v2-legacy", module: "github.com/aws/aws-sdk-go-v2", methods: []string{http.MethodPost}}},
		"grpc168": {grpcRetry("grpc-go-retry-1.68")},
	}
}

func checkOlder(t *testing.T, tb *table) {
	for dir, list := range older() {
		binary := filepath.Join(t.TempDir(), dir)
		build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, ".")
		build.Dir = dir
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", dir, err, said)
		}
		d := drive(t, binary, "-test.run=^TestServe$")
		for i := range list {
			c := &list[i]
			t.Run(c.preset, func(t *testing.T) {
				c.send, c.found = d.send(c.preset), versionIn(t, filepath.Join(dir, "go.mod"), c.module)
				check(t, tb, c)
			})
		}
	}
}
