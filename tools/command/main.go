// Package command is the command line of Trellis, for programs that are one: the
// command trellis of this module, and commands that link more databases.
//
//	trellis call find_nodes '{"node_label": "person"}' --graph DIR
//
// One JSON document is the answer on standard output; everything else goes to
// standard error. The exit status is 0 for an answer, 1 for a refusal (the
// error document is on standard output), 2 for wrong usage, and 3 where the
// store or a file failed.
package command

import (
	"context"
	"io"
	"os"
	"os/signal"
)

// Main runs the command line of this process and ends the process with its exit
// code. An interrupt cancels what runs. Drivers are the databases that the
// program links beside MariaDB, MySQL, PostgreSQL and SQLite.
func Main(drivers ...Driver) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, drivers: drivers})
	stop()
	os.Exit(code)
}

// streams are a process's standard streams, and the databases that its program
// links.
type streams struct {
	in       io.Reader
	out, err io.Writer
	drivers  []Driver
}

// The exit codes.
const (
	exitAnswered = 0
	exitRefused  = 1
	exitUsage    = 2
	exitFailed   = 3
)

// run is the whole program: the command line without the program's name in,
// the exit code out.
func run(ctx context.Context, args []string, std streams) int {
	commands := commands()
	if len(args) == 0 {
		printOverview(std.err, commands)
		return exitUsage
	}
	name, rest := args[0], args[1:]
	if name == "help" && len(rest) > 0 {
		name, rest = rest[0], []string{"--help"}
	}
	switch name {
	case "help", "-h", "-help", "--help":
		printOverview(std.out, commands)
		return exitAnswered
	}
	for _, c := range commands {
		if c.name == name {
			return report(std, c, c.execute(ctx, rest, std))
		}
	}
	return report(std, nil, usagef("there is no command %q; the commands are %s", name, names(commands)))
}
