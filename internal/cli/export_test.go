package cli

import (
	"context"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Show shows a model as the screen is shown, and gives the exit code.
func Show(ctx context.Context, m tea.Model, in, out *os.File, stderr io.Writer) int {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	return exitCode(stderr, show(ctx, newGuard(m, stop, 0), &keyboard{File: in, stop: stop}, out, colorprofile.ANSI))
}
