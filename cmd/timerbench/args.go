package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// group makes a command of one that only has others below it: by itself it shows
// what there is, and what it does not have is an error.
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

// oneOf wants no argument, or one of those names.
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

// oneArg wants one argument and says what it is to be.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s: %d arguments, want %s", below(cmd), len(args), what)
		}
		return nil
	}
}

// someArgs wants one argument at least and says what they are to be.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s: no argument, want %s", below(cmd), what)
		}
		return nil
	}
}

// asTyped is a command line that runs this program again, from where the user has
// run it.
func asTyped(args ...string) string {
	line := append([]string{os.Args[0]}, args...)
	for i, arg := range line {
		if strings.ContainsFunc(arg, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'$&;|<>()*?\`+"`", r) }) {
			line[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(line, " ")
}

// below is how a command is called, without the program.
func below(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}
