// Command retryscope drives a real retry engine against a script or a live URL and draws what it does on a timeline.
package main

import (
	"context"
	"os"

	"github.com/retryscope/retryscope/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Close: os.Stdout.Close,
	}))
}
