// Command flowc validates, tests and runs workflows that wait. `flowc --help` lists what it does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"flowc/cmd"
)

func main() {
	// The first signal asks for an orderly end; the second one kills, since stop gives the signals back.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cmd.Main(ctx, os.Args, cmd.Standard()))
}
