package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// A command is one word that stands after the program's name.
type command struct {
	name    string
	args    string // the positional arguments, as the help shows them
	summary string
	help    string // paragraphs and examples
	// define declares the command's flags and returns what runs it.
	define func(*flag.FlagSet) action
}

// An action runs a command with its positional arguments.
type action func(ctx context.Context, std streams, args []string) error

// commands lists the commands in the order in which the help shows them.
func commands() []*command {
	return []*command{callCommand(), compileCommand(), explainCommand(), toolsCommand(), lintCommand(), bundleCommand(), introspectCommand(), loadCommand(), verifyCommand(), snapshotCommand(), serveCommand(), benchCommand(), shellCommand(), completionCommand()}
}

// errRefused says that a call was refused and that its error document has been
// written.
var errRefused = errors.New("refused")

// A usageError is a mistake in the command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// report says on standard error what went wrong and returns the exit code.
func report(std streams, c *command, err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitAnswered
	case errors.Is(err, errRefused):
		return exitRefused
	case errors.As(err, &usage):
		topic := "trellis help"
		if c != nil {
			topic = "trellis help " + c.name
		}
		fmt.Fprintf(std.err, "trellis: %s\nsee: %s\n", usage, topic)
		return exitUsage
	}
	fmt.Fprintf(std.err, "trellis: %s\n", err)
	return exitFailed
}

// execute parses the command line and runs the command.
func (c *command) execute(ctx context.Context, args []string, std streams) error {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	act := c.define(flags)
	positional, err := parseMixed(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		c.printHelp(std.out, flags, std.drivers)
		return nil
	}
	if err != nil {
		return usagef("%s", err)
	}
	return act(ctx, std, positional)
}

// parseMixed parses flags wherever they stand and returns the other arguments.
// Nothing after "--" is a flag.
func parseMixed(flags *flag.FlagSet, args []string) ([]string, error) {
	var positional []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		rest := flags.Args()
		parsed := len(args) - len(rest)
		if len(rest) == 0 || parsed > 0 && args[parsed-1] == "--" {
			return append(positional, rest...), nil
		}
		positional, args = append(positional, rest[0]), rest[1:]
	}
}

func (c *command) printHelp(w io.Writer, flags *flag.FlagSet, drivers []Driver) {
	fmt.Fprintf(w, "%s.\n\n    trellis %s %s\n\n%s\n\nFlags:\n", c.summary, c.name, c.args, strings.TrimSpace(c.help))
	flags.VisitAll(func(f *flag.Flag) {
		kind, usage := flag.UnquoteUsage(f)
		usage = strings.ReplaceAll(usage, databaseKinds, linked(drivers))
		fmt.Fprintf(w, "  %-22s %s", strings.TrimSpace("--"+f.Name+" "+kind), usage)
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "false" {
			fmt.Fprintf(w, " [%s]", f.DefValue)
		}
		fmt.Fprintln(w)
	})
}

func printOverview(w io.Writer, commands []*command) {
	fmt.Fprint(w, `Trellis answers questions about a graph, asked as JSON tool calls.

    trellis COMMAND …

Commands:
`)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
"trellis help COMMAND" tells more and shows examples.

Exit status: 0 answered, 1 refused (the error document is on standard output),
2 wrong usage, 3 the store or a file failed.
`)
}

func names(commands []*command) string {
	list := make([]string, len(commands))
	for i, c := range commands {
		list[i] = c.name
	}
	return strings.Join(list, ", ")
}
