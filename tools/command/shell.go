package command

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/format"
)

func shellCommand() *command {
	return &command{
		name:    "shell",
		args:    "--graph DIR | --schema FILE --dsn URL",
		summary: "Ask one call after the other",
		help: `
Reads calls, a tool and its arguments in JSON, and prints their answers:

    trellis shell --graph DIR
    > find_nodes {"node_label": "person", "limit": 3}

A call goes on in the next line until its brackets are closed; an empty line ends
it. The tab key completes tools, arguments, labels, types, properties and the
values of enums. An interrupt drops the line, or the call that runs; the end of
the input (Ctrl-D) ends the shell.

  .tools               what can be called
  .schema [NAME …]     the graph's labels and types, or what some of them have
  .explain TOOL ARGS   how a call would be answered
  .format FORMAT       how answers are shown: json, columns, csv, markdown, mermaid
  .help                these lines
  .quit                ends the shell

On a terminal answers are tables, and mistakes a few lines; anywhere else they
are JSON documents, one a line, as "trellis call --batch" prints them, and the
exit status is the worst of all calls.

    echo 'get_graph_schema {}' | trellis shell --graph DIR

Lines that were typed are kept in --history, for the next time.`,
		define: func(flags *flag.FlagSet) action {
			var from source
			var how host
			from.define(flags)
			how.define(flags)
			flags.StringVar(&how.audit, "audit", "", "append a record of each call to a `file`, as lines of JSON")
			scope := flags.String("scope", "", scopeUsage)
			form := flags.String("format", "", "the `format` of answers: "+format.Names()+"; markdown on a terminal, else json")
			past := flags.String("history", historyFile(), "keep the lines that are typed in a `file`; '' keeps none")
			return func(ctx context.Context, std streams, args []string) error {
				if len(args) > 0 {
					return usagef("shell takes flags only, not %q", args[0])
				}
				f, known := format.Parse(*form)
				if *form != "" && !known {
					return usagef("there is no format %q; the formats are %s", *form, format.Names())
				}
				caller, err := parseScope([]byte(*scope))
				if err != nil {
					return usagef("--scope is not a scope: %s", err)
				}
				how.estimate = true
				s, err := from.open(ctx, std, &how)
				if err != nil {
					return refuseOpening(std, "", err)
				}
				defer s.close()
				s.format = f
				return s.shell(within(ctx, caller), std, *past)
			}
		},
	}
}

// shellCommands are the words of a shell that are no calls.
var shellCommands = []string{".explain", ".format", ".help", ".quit", ".schema", ".tools"}

// A shell is a session that asks one call after the other.
type shell struct {
	*session
	std streams
	// people says that somebody looks at the answers.
	people bool
	paint  paint
	// line reads the next line, after what was written in those before.
	line  func(prompt, written string) (string, error)
	worst error
}

func (s *session) shell(ctx context.Context, std streams, past string) error {
	sh := &shell{session: s, std: std, people: terminal(std.out) != nil, paint: painter(std.out)}
	in := terminal(std.in)
	if in == nil || !sh.people {
		sh.line = plainLines(std.in)
		return sh.run(ctx)
	}
	completer, err := s.completer(ctx)
	if err != nil {
		return refuse(std.out, "", err)
	}
	kept, err := openHistory(past)
	if err != nil {
		fmt.Fprintf(std.err, "trellis: no history: %s\n", err)
		kept = &history{}
	}
	defer kept.close()
	sh.line = newEditor(in, terminal(std.out), kept, completer.complete).line
	if s.format == "" {
		s.format = format.Markdown
	}
	fmt.Fprintln(std.out, `Calls are a tool and its arguments; .help tells more, the tab key completes.`)
	// An interrupt is for the call that runs, and not for the shell.
	return sh.run(context.WithoutCancel(ctx))
}

// plainLines reads the lines of what is no terminal.
func plainLines(in io.Reader) func(string, string) (string, error) {
	lines := bufio.NewReaderSize(in, 64<<10)
	return func(string, string) (string, error) {
		line, err := readLine(lines)
		return strings.TrimSuffix(string(line), "\r"), err
	}
}

// run answers until the input ends.
func (sh *shell) run(ctx context.Context) error {
	written := ""
	for ctx.Err() == nil {
		prompt := "> "
		if written != "" {
			prompt = "… "
		}
		line, err := sh.line(prompt, written)
		if errors.Is(err, errInterrupted) {
			written = ""
			continue
		}
		if errors.Is(err, errLongLine) {
			sh.refuse("", graph.Errors{{Code: graph.TooLarge, Message: fmt.Sprintf("the line is longer than %d bytes", maxLine)}})
			written = ""
			continue
		}
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		last := ended || strings.TrimSpace(line) == ""
		written += line + "\n"
		if !last && goesOn(written) && len(written) <= maxLine {
			continue
		}
		text := strings.TrimSpace(written)
		written = ""
		if text != "" && !sh.answer(ctx, text) || ended {
			break
		}
	}
	if sh.people {
		return ctx.Err()
	}
	return errors.Join(sh.worst, ctx.Err())
}

// goesOn reports whether the arguments of a call have no end yet.
func goesOn(text string) bool {
	i := strings.IndexByte(text, '{')
	return i >= 0 && placeOf(text[i:]).open()
}

// answer does what a line asks for, and reports whether there may be more.
func (sh *shell) answer(ctx context.Context, text string) bool {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	tool, args := cutWord(text)
	switch tool {
	case ".quit", ".exit":
		return false
	case ".help":
		_, help, _ := strings.Cut(shellCommand().help, "values of enums.")
		fmt.Fprintln(sh.std.out, "A call is a tool and its arguments, such as\n\n    find_nodes {\"node_label\": \"person\"}\n"+help[strings.Index(help, "\n\n")+1:])
	case ".tools":
		list, err := sh.tools.List(ctx)
		if err != nil {
			sh.refuse("", err)
		}
		for _, t := range list {
			sh.say("%s  %s\n", sh.paint.bold(t.Name), firstSentence(t.Description))
		}
	case ".format":
		f, known := format.Parse(args)
		if !known {
			sh.refuse("", graph.Errors{{Code: graph.InvalidEnum, Message: fmt.Sprintf("there is no format %q; the formats are %s", args, format.Names())}})
			break
		}
		sh.format = f
	case ".schema":
		sh.call(ctx, graph.ToolDescribe, sh.schemaArguments(ctx, strings.Fields(args)))
	case ".explain":
		tool, args = cutWord(args)
		e, err := sh.tools.Explain(ctx, tool, orEmpty(args))
		if err != nil {
			sh.refuse(tool, err)
			break
		}
		sh.explained(tool, e)
	default:
		if strings.HasPrefix(tool, ".") {
			sh.refuse("", graph.Errors{{Code: graph.UnknownTool, Message: fmt.Sprintf("there is no %s; there are %s", tool, strings.Join(shellCommands, ", "))}})
			break
		}
		sh.call(ctx, tool, orEmpty(args))
	}
	return true
}

// cutWord splits a text at its first white space or bracket.
func cutWord(text string) (word, rest string) {
	i := strings.IndexAny(text, " \t\n{[")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// orEmpty are the arguments of a call that has none.
func orEmpty(args string) []byte {
	if args == "" {
		return []byte("{}")
	}
	return []byte(args)
}

// firstSentence is the first sentence of a description.
func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
