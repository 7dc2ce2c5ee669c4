package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/suggest"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// group adds subcommands to a command that does nothing by itself. Without an
// argument it prints its help; the name of an unknown subcommand is an error.
func group(cmd *cobra.Command, list ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(list...)
	cmd.Args = oneOf("command of "+cmd.Name(), names(list, (*cobra.Command).Name))
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

// argsFrom accepts so many arguments; most 0 is any number. The error says what they should be.
func argsFrom(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most > 0 && len(args) > most {
			return fmt.Errorf("%s: %d arguments, want %s", subcommand(cmd), len(args), what)
		}
		return nil
	}
}

// flagError rewrites the errors of pflag: the flag first, then the value, then what is expected.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	why := invalid.Unwrap()
	var number *strconv.NumError
	switch kind := invalid.GetFlag().Value.Type(); {
	case errors.As(err, &number) && kind == "uint64":
		why = fmt.Errorf("%q: want a whole number from 0 to 2^64-1", invalid.GetValue())
	case errors.As(err, &number):
		why = fmt.Errorf("%q: want a number", invalid.GetValue())
	case strings.HasPrefix(kind, "duration"):
		why = fmt.Errorf("%q: want a time such as 90s or 5m", invalid.GetValue())
	}
	return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, why)
}

// refuseEmpty returns an error for an empty argument, and for an empty value of a flag that names a file, a
// folder or a revision: mostly a variable of a shell that is not set.
func refuseEmpty(cmd *cobra.Command, args []string) (err error) {
	if slices.Contains(args, "") && cmd.Name() != "record" { // whose arguments are those of another command
		return fmt.Errorf("%s: an argument is empty", subcommand(cmd))
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		places := []string{"against", "external", "for", "html", "into", "json", "new", "nginx", "old", "out", "results", "scenario", "trace", "traces"}
		if slices.Contains(places, flag.Name) && slices.Contains(asFlags(flag), "--"+flag.Name+"=") {
			err = fmt.Errorf("--%s: its value is empty", flag.Name)
		}
	})
	return err
}

// newHelp is cobra's command help, which would not fail for an unknown command.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = unknown("command of "+of.Name(), rest[0], names(of.Commands(), (*cobra.Command).Name))
			}
			if err != nil {
				return err
			}
			return of.Help()
		},
	}
}

// subcommand is the name of a command and of those above it, without the program:
// "trace info".
func subcommand(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// asTyped returns a command line for a shell. It calls this program by the name by
// which the user called it.
func asTyped(args ...string) string { return quoted(append([]string{os.Args[0]}, args...)) }

// quoted joins the words of a command line for a shell.
func quoted(line []string) string {
	special := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'$&;|<>()*?\`+"`", r) }
	for i, arg := range line {
		if strings.ContainsFunc(arg, special) {
			line[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(line, " ")
}

// flagsOfPlace say where a command writes, or with what it goes on. They do not change what it
// measures.
var flagsOfPlace = []string{"out", "json", "resume"}

// givenFlags returns the flags of a command line that change what is measured.
func givenFlags(cmd *cobra.Command) (line []string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(flagsOfPlace, flag.Name) {
			line = append(line, asFlags(flag)...)
		}
	})
	return line
}

// asFlags returns a flag as it was given, once for each of its values.
func asFlags(flag *pflag.Flag) (line []string) {
	values := []string{flag.Value.String()}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	for _, value := range values {
		line = append(line, "--"+flag.Name+"="+value)
	}
	return line
}

// commandLine is a command line as it was given, for the results.
func commandLine(cmd *cobra.Command, args []string) string {
	return quoted(slices.Concat(strings.Fields(cmd.CommandPath()), givenFlags(cmd), args))
}

func nameOfStructure(e entry.Entry) string { return e.Name }

func nameOfWorkload(w workload.Workload) string { return w.Name }

// names returns the names of all.
func names[T any](all []T, name func(T) string) (list []string) {
	for _, x := range all {
		list = append(list, name(x))
	}
	return list
}

// match returns the elements of all whose names match a pattern. An empty pattern matches all. match returns an error if
// neither these names nor the others match, with the names that exist and the nearest one.
func match[T any](what string, all []T, name func(T) string, pattern string, others ...string) ([]T, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("--%s %q is not a regular expression: %w", what, pattern, err)
	}
	found := slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !re.MatchString(name(x)) })
	if len(found) == 0 && !slices.ContainsFunc(others, re.MatchString) {
		return nil, unknown(what, pattern, append(names(all, name), others...))
	}
	return found, nil
}

// matchStructures returns the structures whose names match a pattern.
func matchStructures(pattern string) ([]entry.Entry, error) {
	return match("structure", catalog.All(), nameOfStructure, pattern)
}

// exactly returns the one of all that has a name.
func exactly[T any](what string, all []T, name func(T) string, want string) (x T, err error) {
	i := slices.Index(names(all, name), want)
	if i < 0 {
		return x, unknown(what, want, names(all, name))
	}
	return all[i], nil
}

// unknown says that there is no such name, what exists and which is the nearest.
func unknown(what, name string, names []string) error {
	name = strings.Trim(name, "^$")
	return fmt.Errorf("no %s matches %q%s; there are: %s", what, name, suggest.Nearest(name, names), strings.Join(names, ", "))
}
