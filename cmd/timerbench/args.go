package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group adds subcommands to a command that does nothing by itself. Without an
// argument it prints its help; the name of an unknown subcommand is an error.
func group(cmd *cobra.Command, list ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(list...)
	var names []string
	for _, c := range list {
		names = append(names, c.Name())
	}
	cmd.Args = oneOf("command of "+cmd.Name(), names)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// oneOf accepts no argument, or one of those names.
func oneOf(what string, names []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) > 0 && !slices.Contains(names, args[0]):
			return unknown(what, args[0], names)
		case len(args) > 1:
			return fmt.Errorf("%q: want one %s at a time", args[1], what)
		}
		return nil
	}
}

// oneArg accepts one argument. The error says what it should be.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s: %d arguments, want %s", subcommand(cmd), len(args), what)
		}
		return nil
	}
}

// someArgs accepts at least one argument. The error says what they should be.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s: no argument, want %s", subcommand(cmd), what)
		}
		return nil
	}
}

// asTyped returns a command line for a shell. It calls this program by the name by
// which the user called it.
func asTyped(args ...string) string { return quoted(append([]string{os.Args[0]}, args...)) }

// quoted joins the words of a command line for a shell.
func quoted(line []string) string {
	for i, arg := range line {
		if strings.ContainsFunc(arg, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'$&;|<>()*?\`+"`", r) }) {
			line[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(line, " ")
}

// flagsOfPlace say where a command writes, or with what it goes on. They do not change what it measures.
var flagsOfPlace = []string{"out", "json", "resume", "layout"}

// commandLine is a command line as it was given, for the results.
func commandLine(cmd *cobra.Command, args []string) string {
	line := strings.Fields(cmd.CommandPath())
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(flagsOfPlace, flag.Name) {
			line = append(line, asFlags(flag)...)
		}
	})
	return quoted(append(line, args...))
}

// asFlags returns a flag as it was given.
func asFlags(flag *pflag.Flag) []string {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		var out []string
		for _, value := range list.GetSlice() {
			out = append(out, "--"+flag.Name+"="+value)
		}
		return out
	}
	return []string{"--" + flag.Name + "=" + flag.Value.String()}
}

// subcommand is the name of a command and of those above it, without the program:
// "trace info".
func subcommand(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
