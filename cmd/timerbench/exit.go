package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

// errRegression ends a command that was asked to fail if the new build is slower.
var errRegression = errors.New("the new build is slower, and --fail-on-regression is given")

// misused is an error of a command whose exit code 1 means something else.
type misused struct{ error }

func (m misused) Unwrap() error { return m.error }

// comparing makes all errors of a command, those of its flags included, end with
// exitMisuse, save errRegression and an interrupt.
func comparing(cmd *cobra.Command) *cobra.Command {
	code := func(err error) error {
		if err == nil || errors.Is(err, errRegression) || errors.Is(err, context.Canceled) {
			return err
		}
		return misused{err}
	}
	args, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, list []string) error { return code(args(cmd, list)) }
	cmd.RunE = func(cmd *cobra.Command, list []string) error {
		err := run(cmd, list)
		if out, ok := cmd.OutOrStdout().(*output); ok && err == nil {
			err = out.err
		}
		return code(err)
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return code(err) })
	return cmd
}
