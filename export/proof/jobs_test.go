package proof

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/internal/prove"
)

// job is what is exported for one format and one case.
type job struct {
	prove.Job
	format export.Format
	text   string
}

// patience is how long a policy may take that is proved.
const patience = 10 * time.Second

// jobsOf exports every case in a format, and more of them.
func jobsOf(t *testing.T, id string, more ...prove.Case) []*job {
	t.Helper()
	f, ok := export.Get(id)
	if !ok {
		t.Fatalf("no format %s", id)
	}
	var out []*job
	for _, c := range slices.Concat(prove.GoStd(), prove.More(), more) {
		p, err := engine.ParsePolicy(c.Policy, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Export(p)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.Script, "hang") && r.Carried.AttemptTimeout == 0 && r.Carried.Timeout == 0 {
			continue // the export says that it would hang
		}
		if strings.Contains(c.Script, " date=") && strings.Contains(r.Text, "not from the answer's own Date") {
			continue // as it says
		}
		if strings.Contains(r.Text, "raises InvalidHeader") && c.Name == "no date of HTTP" {
			continue // as it says
		}
		j := &job{format: f, text: r.Text}
		j.Name, j.Policy, j.Script, j.Method = id+"/"+c.Name, r.Carried, c.Script, c.Method
		if long, err := j.Longest(); err != nil {
			t.Fatal(err)
		} else if long > patience {
			continue // without its timeout it grows for minutes
		}
		out = append(out, j)
	}
	return out
}

// write puts a job's text into a file below dir.
func (j *job) write(t *testing.T, dir, file string) {
	t.Helper()
	file = filepath.Join(dir, file)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(j.text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// proveAll runs jobs by one command, which is given for each its key, its method and its URL, and prints for each its key
// and what came out; then every job is a test.
func proveAll(t *testing.T, jobs []*job, command func(ctx context.Context, args []string) *exec.Cmd) {
	t.Helper()
	all := make([]*prove.Job, 0, len(jobs))
	keys := map[*prove.Job]string{}
	for i, j := range jobs {
		all = append(all, &j.Job)
		keys[&j.Job] = fmt.Sprint(i)
	}
	err := prove.Agree(t.Context(), all, t.Logf, func(ctx context.Context, now []*prove.Job) error {
		var args []string
		byKey := map[string]*prove.Job{}
		for _, j := range now {
			args = append(args, keys[j], j.Method, j.URL)
			byKey[keys[j]] = j
		}
		c := command(ctx, args)
		var errs bytes.Buffer
		c.Stderr = &errs
		if err := bound(c); err != nil {
			return err
		}
		out, err := c.Output()
		if err != nil {
			return fmt.Errorf("%w\n%s%s", err, errs.Bytes(), out)
		}
		lines := bufio.NewScanner(bytes.NewReader(out))
		for lines.Scan() {
			if key, end, ok := strings.Cut(lines.Text(), " "); ok && byKey[key] != nil {
				byKey[key].Ended = end
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		t.Run(j.Name, func(t *testing.T) {
			if j.Wrong == "" && j.Ended == "" {
				t.Error("nothing came out")
			}
			if j.Wrong != "" {
				t.Errorf("%s\ncarried: %s (%d lines of text)", j.Wrong, &j.Policy, strings.Count(j.text, "\n"))
			}
		})
	}
}

// bound ties a command to this process: its standard input ends with whoever holds the other end, however that ends, and
// it with it. A test that runs out of its time kills nothing.
func bound(c *exec.Cmd) error {
	_, err := c.StdinPipe()
	return err
}

// scriptArgs are the arguments of a script that is told of the directory and, for each job, of its format too.
func scriptArgs(t *testing.T, jobs []*job, script, dir string, args []string) []string {
	t.Helper()
	list := []string{script, dir}
	for i := 0; i < len(args); i += 3 {
		n, err := strconv.Atoi(args[i])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, args[i], jobs[n].format.ID, args[i+1], args[i+2])
	}
	return list
}
