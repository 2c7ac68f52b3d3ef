package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/trellisgraph/trellis/graph"
	"github.com/trellisgraph/trellis/graph/format"
)

func completionCommand() *command {
	return &command{
		name:    "completion",
		args:    "bash | zsh | fish",
		summary: "Print a script that completes this command in a shell",
		help: `
The script completes commands, their flags, the flags' values, files and the
names of the six tools. Let your shell read it at its start:

    source <(trellis completion bash)                                # in ~/.bashrc
    source <(trellis completion zsh)                                 # in ~/.zshrc, after compinit
    trellis completion fish > ~/.config/fish/completions/trellis.fish

Labels, types and properties are completed by "trellis shell".`,
		define: func(flags *flag.FlagSet) action {
			name := flags.String("name", "trellis", "the `name` by which the command is called")
			return func(_ context.Context, std streams, args []string) error {
				scripts := map[string]func(io.Writer, string, []completed){"bash": bashScript, "zsh": zshScript, "fish": fishScript}
				if len(args) != 1 || scripts[args[0]] == nil {
					return usagef("completion takes the name of a shell: bash, zsh or fish")
				}
				if strings.ContainsFunc(*name, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r) }) || *name == "" {
					return usagef("a --name is of small letters, digits, - and _")
				}
				scripts[args[0]](std.out, *name, completions())
				return nil
			}
		},
	}
}

// A completed command is what a shell knows of it.
type completed struct {
	name, summary string
	// words are what may stand after the command.
	words []string
	flags []completedFlag
}

type completedFlag struct {
	name, usage string
	// value is what its value is called, "" if it takes none; file says that it is
	// one, and words are those it chooses from.
	value string
	file  bool
	words []string
}

// completions are the commands and their flags.
func completions() (out []completed) {
	asked := []string{graph.ToolDescribe, graph.ToolFindNodes, graph.ToolTraverse, graph.ToolNeighbors, graph.ToolPaths, graph.ToolAggregate}
	for _, c := range commands() {
		done := completed{name: c.name, summary: c.summary}
		switch {
		case strings.HasPrefix(c.args, "TOOL"):
			done.words = asked
		case c.name == "completion":
			done.words = []string{"bash", "zsh", "fish"}
		}
		flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
		c.define(flags)
		flags.VisitAll(func(f *flag.Flag) {
			kind, usage := flag.UnquoteUsage(f)
			one := completedFlag{name: f.Name, usage: usage, value: kind}
			one.file = kind == "file" || kind == "directory"
			switch f.Name {
			case "dialect":
				one.words = dialectNames()
			case "store":
				one.words = []string{"memory", "embedded"}
			case "format":
				one.words = formatsOf(c.name)
			}
			done.flags = append(done.flags, one)
		})
		out = append(out, done)
	}
	return out
}

func formatsOf(command string) []string {
	switch command {
	case "call", "shell":
		return strings.Split(format.Names(), ", ")
	case "tools":
		return toolFormats
	}
	return nil
}

func commandNames(list []completed) []string {
	var names []string
	for _, c := range list {
		names = append(names, c.name)
	}
	return append(names, "help")
}

func bashScript(w io.Writer, name string, list []completed) {
	fmt.Fprintf(w, `_%[1]s() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=""
  COMPREPLY=()
  if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then
    COMPREPLY=($(compgen -W "%[2]s" -- "$cur"))
    return
  fi
  case ${COMP_WORDS[1]}:$prev in
`, strings.ReplaceAll(name, "-", "_"), strings.Join(commandNames(list), " "))
	for _, c := range list {
		for _, f := range c.flags {
			switch {
			case len(f.words) > 0:
				fmt.Fprintf(w, "    %s:--%s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", c.name, f.name, strings.Join(f.words, " "))
			case f.file:
				fmt.Fprintf(w, "    %s:--%s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", c.name, f.name)
			case f.value != "":
				fmt.Fprintf(w, "    %s:--%s) return ;;\n", c.name, f.name)
			}
		}
	}
	fmt.Fprint(w, "  esac\n  case ${COMP_WORDS[1]} in\n")
	for _, c := range list {
		words := slices.Clone(c.words)
		for _, f := range c.flags {
			words = append(words, "--"+f.name)
		}
		fmt.Fprintf(w, "    %s) words=\"%s\" ;;\n", c.name, strings.Join(words, " "))
	}
	fmt.Fprintf(w, "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _%s %s\n", strings.ReplaceAll(name, "-", "_"), name)
}

func zshScript(w io.Writer, name string, list []completed) {
	fn := "_" + strings.ReplaceAll(name, "-", "_")
	fmt.Fprintf(w, "#compdef %s\n%s() {\n  local -a commands\n  commands=(\n", name, fn)
	for _, c := range list {
		fmt.Fprintf(w, "    %s\n", single(c.name+":"+c.summary))
	}
	fmt.Fprint(w, "    'help:Tell about a command'\n  )\n  if ((CURRENT == 2)) || [[ $words[2] == help ]]; then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n")
	for _, c := range list {
		fmt.Fprintf(w, "    %s)\n      _arguments", c.name)
		for _, f := range c.flags {
			text := "--" + f.name + "[" + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(f.usage) + "]"
			switch {
			case len(f.words) > 0:
				text += ":" + f.value + ":(" + strings.Join(f.words, " ") + ")"
			case f.file:
				text += ":" + f.value + ":_files"
			case f.value != "":
				text += ":" + f.value + ": "
			}
			fmt.Fprintf(w, " \\\n        %s", single(text))
		}
		rest := "*:file:_files"
		if len(c.words) > 0 {
			rest = "2:word:(" + strings.Join(c.words, " ") + ")"
		}
		fmt.Fprintf(w, " \\\n        %s ;;\n", single(rest))
	}
	fmt.Fprintf(w, "  esac\n}\ncompdef %s %s\n", fn, name)
}

func fishScript(w io.Writer, name string, list []completed) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "complete -c "+name+" "+format+"\n", args...) }
	line("-f")
	for _, c := range list {
		line("-n __fish_use_subcommand -a %s -d %s", c.name, single(c.summary))
	}
	line("-n __fish_use_subcommand -a help -d 'Tell about a command'")
	line("-n '__fish_seen_subcommand_from help' -a %s", single(strings.Join(commandNames(list), " ")))
	for _, c := range list {
		seen := "-n '__fish_seen_subcommand_from " + c.name + "'"
		if len(c.words) > 0 {
			line("%s -a %s", seen, single(strings.Join(c.words, " ")))
		} else {
			line("%s -F", seen)
		}
		for _, f := range c.flags {
			takes := ""
			switch {
			case len(f.words) > 0:
				takes = " -x -a " + single(strings.Join(f.words, " "))
			case f.file:
				takes = " -r -F"
			case f.value != "":
				takes = " -x"
			}
			line("%s -l %s%s -d %s", seen, f.name, takes, single(f.usage))
		}
	}
}

// single is a text in the single quotes of all three shells, in which a
// quote cannot stand the same way: it is left out.
func single(text string) string {
	return "'" + strings.NewReplacer("'", "", "\n", " ").Replace(text) + "'"
}
