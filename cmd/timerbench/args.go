// What all commands share: arguments, regular expressions that choose by name, and numbers as people write them. Every error names the
// flag, the value and what was expected, because a command line is often a script that somebody else wrote.

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/bench/loops"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

// group adds subcommands to a command that does nothing itself. Without an argument
// the command prints its help. An unknown subcommand is an error.
func group(cmd *cobra.Command, list ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(list...)
	cmd.Args = oneOf("command of "+cmd.Name(), names(list, (*cobra.Command).Name))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// oneOf accepts either no argument or one of the names.
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

// noArgs accepts no argument.
var noArgs = argsFrom(0, 0, "none")

// argsFrom accepts at least least and at most most arguments; most -1 means any number. what
// describes them in the error.
func argsFrom(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s: %s, want %s", subcommand(cmd), show.Count(len(args), "argument"), what)
		}
		return nil
	}
}

// wanted describes the values of flags by the type of the flag.
var wanted = map[string]string{
	"int": "a whole number such as 12", "intSlice": "whole numbers such as 1,2", "uint64": "a whole number from 0 to 2^64-1",
	"duration": "a time such as 90s or 5m", "durationSlice": "times such as 50us,1ms", "bool": "true or false",
}

// flagError rewrites an error of pflag: flag, value, expected values.
func flagError(_ *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	why := invalid.Unwrap()
	if want := wanted[invalid.GetFlag().Value.Type()]; want != "" {
		why = fmt.Errorf("%q: want %s", invalid.GetValue(), want)
	}
	return fmt.Errorf("--%s: %w", invalid.GetFlag().Name, why)
}

// refuseEmpty returns an error for an empty argument and for a flag with an empty value. The usual cause is an unset shell variable.
func refuseEmpty(cmd *cobra.Command, args []string) (err error) {
	if slices.Contains(args, "") && cmd.Name() != "record" { // record passes its arguments on
		return fmt.Errorf("%s: an argument is empty", subcommand(cmd))
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Value.Type() != "func" && slices.Contains(asFlags(flag), "--"+flag.Name+"=") { // those keep no text
			err = fmt.Errorf("--%s: its value is empty", flag.Name)
		}
	})
	return err
}

// newHelp replaces cobra's command help, which succeeds for unknown commands.
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

// subcommand returns the full name of a command without that of the program: "trace info".
func subcommand(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// asTyped returns a command line of this program for a shell. The name of the program is the one that the user typed.
func asTyped(args ...string) string { return quoted(append([]string{os.Args[0]}, args...)) }

// quoted joins words into a command line for a shell.
func quoted(line []string) string {
	special := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'$&;|<>()*?\`+"`", r) }
	for i, arg := range line {
		if strings.ContainsFunc(arg, special) {
			line[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(line, " ")
}

// flagsOfPlace set where a command writes. They do not change the measurement.
var flagsOfPlace = []string{"out", "resume"}

// asFlags returns a flag as on the command line, once per value.
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

// commandLine returns the command line for the results, without flagsOfPlace.
func commandLine(cmd *cobra.Command, args []string) string {
	line := strings.Fields(cmd.CommandPath())
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(flagsOfPlace, flag.Name) {
			line = append(line, asFlags(flag)...)
		}
	})
	return quoted(append(line, args...))
}

func nameOfStructure(e entry.Entry) string { return e.Name }

func nameOfWorkload(w workload.Workload) string { return w.Name }

func names[T any](all []T, name func(T) string) (list []string) {
	for _, x := range all {
		list = append(list, name(x))
	}
	return list
}

// match returns the elements whose names match a pattern. An empty pattern matches all. If neither these names
// nor the others match, the error lists the existing names and suggests the nearest one.
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

// allStructures returns the structures that a run measures: those with IDs, then the intrusive ones.
func allStructures() []entry.Entry { return append(catalog.All(), loops.With(catalog.Intrusive())...) }

func matchStructures(pattern string) ([]entry.Entry, error) {
	return match("structure", allStructures(), nameOfStructure, pattern)
}

func exactly[T any](what string, all []T, name func(T) string, want string) (x T, err error) {
	i := slices.Index(names(all, name), want)
	if i < 0 {
		return x, unknown(what, want, names(all, name))
	}
	return all[i], nil
}

// unknown returns the error for an unknown name. It lists the existing names and suggests the nearest one.
func unknown(what, name string, names []string) error {
	name = strings.Trim(name, "^$")
	return misuse{fmt.Errorf("no %s matches %q%s; there are: %s", what, name, show.Nearest(name, names), strings.Join(names, ", "))}
}

// maxSize bounds numbers of timers: beyond it a run would not fit into memory.
const maxSize = 100_000_000

// grouped is a number whose digits stand in groups of three.
var grouped = regexp.MustCompile(`^\d{1,3}(,\d{3})+$`)

// valueTo returns the function of a flag that keeps what read reads.
func valueTo[T any](to *T, read func(string) (T, error)) func(string) error {
	return func(text string) (err error) {
		*to, err = read(text)
		return err
	}
}

// readNumber reads a whole number from 1 to most: 200000, 200,000, 200k, 2e5.
func readNumber(most float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		number, factor := strings.TrimSpace(text), 1.0
		if grouped.MatchString(number) {
			number = strings.ReplaceAll(number, ",", "")
		}
		if n := len(number); n > 0 {
			switch number[n-1] {
			case 'k', 'K':
				number, factor = number[:n-1], 1e3
			case 'm', 'M':
				number, factor = number[:n-1], 1e6
			}
		}
		v, err := strconv.ParseFloat(number, 64)
		v *= factor
		if err != nil || v != math.Trunc(v) || v < 1 || v > most {
			return 0, fmt.Errorf("%q: want a whole number from 1 to 1e%.0f, such as 200000, 200,000, 200k or 2e5",
				text, math.Log10(most))
		}
		return v, nil
	}
}

// readRate reads a number per second, minute or hour, and returns it per second: 50000/s, 50k, 3e6/m, 1e8/h.
func readRate(text string) (float64, error) {
	const most = 1e12 // no program starts more timers
	number, unit, ok := strings.Cut(text, "/")
	if !ok {
		unit = "s"
	}
	rate, err := readNumber(most)(strings.TrimSpace(number))
	seconds := map[string]float64{"s": 1, "m": 60, "h": 3600}[strings.TrimSpace(unit)]
	if err != nil || seconds == 0 {
		return 0, fmt.Errorf("%q: want a whole number per second, minute or hour, such as 50000/s, 50k, 3e6/m or 1e8/h", text)
	}
	return rate / seconds, nil
}

// readShare reads a part of the whole: 5%, 0.05.
func readShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%q: want a share, from 0%% to 100%% or from 0 to 1", text)
	}
	return x, nil
}

// sizes is a flag: a list of numbers of timers, such as 1000,1e6.
type sizes []int

// Type returns the name of the type, which help shows.
func (s *sizes) Type() string { return "numbers" }

func (s *sizes) String() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(*s), "[]"), " ", ",")
}

// Set adds the numbers of a list. A comma separates two of them, unless a number would begin
// with 0 then: 200,000 is one number, 100,250 are two.
func (s *sizes) Set(text string) error {
	parts := strings.Split(text, ",")
	if grouped.MatchString(text) && strings.Contains(text, ",0") {
		parts = []string{text}
	}
	for _, part := range parts {
		n, err := readNumber(maxSize)(part)
		if err != nil {
			return err
		}
		*s = append(*s, int(n))
	}
	return nil
}
