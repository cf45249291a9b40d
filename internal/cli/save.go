package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/trace"
)

// longestName is the longest name of a saved policy, in bytes: file systems take no more than 255 with the rest.
const longestName = 100

// savePolicy writes a policy under a name or a path, whole or not at all, and returns where it is. A file that is there
// is replaced only with over; without it the error matches fs.ErrExist.
func savePolicy(name string, p *engine.Policy, over bool) (string, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml") {
		if !strings.HasSuffix(name, ".toml") {
			return "", fmt.Errorf("%s: the path of a policy ends in .toml", shown(name))
		}
		path, err := expandHome(name)
		if err != nil {
			return "", err
		}
		return path, writeWhole(path, policyTOML(p), over)
	}
	switch _, preset := presets.Get(firstWord(name)); {
	case preset:
		return "", fmt.Errorf("%q is the name of a preset: take another", shown(firstWord(name)))
	case isPolicyText(name) || strings.TrimSpace(name) != name || strings.HasPrefix(name, "."):
		return "", fmt.Errorf("%q: cannot be a name: one begins with a letter and holds no '='", shown(name))
	case len(name) > longestName:
		return "", fmt.Errorf("%s: longer than a name may be, %d bytes", shown(name), longestName)
	}
	if err := os.MkdirAll(policyDir(), 0o700); err != nil {
		return "", fileError(policyDir(), err)
	}
	path := filepath.Join(policyDir(), name+".toml")
	return path, writeWhole(path, policyTOML(p), over)
}

// saveRun writes a run as events, whole or not at all, under the conditions of savePolicy.
func saveRun(name string, t *trace.Trace, over bool) (string, error) {
	name, err := expandHome(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(name); err != nil && filepath.Ext(name) == "" {
		name += ".jsonl"
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fileError(name, err)
	}
	var b strings.Builder
	if err := t.WriteJSON(&b); err != nil {
		return "", err
	}
	return path, writeWhole(path, []byte(b.String()), over)
}

// copyFile keeps what was copied in a file: a terminal may drop what is put on its clipboard.
func copyFile(text string) (string, error) {
	path, err := xdg.StateFile(filepath.Join("retryscope", "copied.txt"))
	if err != nil {
		return "", err
	}
	return path, writeWhole(path, []byte(text+"\n"), true)
}

// expandHome puts the home directory in the place of a ~ before the first slash, as a shell would.
func expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return home + rest, nil
}

var (
	errDirectory  = errors.New("it is a directory")
	errNotRegular = errors.New("it is no regular file")
	errThere      = thereError{}
)

// thereError is about a file that nobody said may be replaced. It matches fs.ErrExist.
type thereError struct{}

func (thereError) Error() string { return "it is there already" }

func (thereError) Is(target error) bool { return target == fs.ErrExist }

// writeWhole writes a file beside its place and moves it there, so that a reader sees the old one or the new one. It
// replaces a file that is there only with over, and never what is no file.
func writeWhole(path string, data []byte, over bool) error {
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fileError(path, err)
	case info.IsDir():
		return fileError(path, errDirectory)
	case !info.Mode().IsRegular():
		return fileError(path, errNotRegular)
	case !over:
		return fileError(path, errThere)
	default:
		mode = info.Mode().Perm()
		if at, err := filepath.EvalSymlinks(path); err == nil {
			path = at // a link stays one
		}
	}
	return fileError(path, moveInto(path, data, mode))
}

func moveInto(path string, data []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".retryscope-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(f.Name())))
		}
	}()
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), mode)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// fileError is what went wrong with a file, said of the file that was meant and not of one that stands in for it.
func fileError(path string, err error) error {
	if err == nil {
		return nil
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return fmt.Errorf("%s: %w", shown(path), bare(err))
}

// shown is a path short enough to be read.
func shown(path string) string {
	const most, ends = 100, 48
	r := []rune(path)
	if len(r) <= most {
		return path
	}
	return string(r[:ends]) + "…" + string(r[len(r)-ends:])
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
