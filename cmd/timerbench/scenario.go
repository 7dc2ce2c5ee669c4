package main

import (
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
)

func newScenario() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "Print a built-in workload as a file, check one of your own",
		Long: `A scenario file describes a workload in TOML: what arrives, for how long, and what
becomes of it. Run it with: timerbench run --scenario FILE`,
		Example: `  timerbench scenario print kafka-purgatory >mine.toml
  timerbench scenario check mine.toml`,
	}
	return group(cmd, newScenarioPrint(), newScenarioCheck())
}

func newScenarioPrint() *cobra.Command {
	return &cobra.Command{
		Use:     "print WORKLOAD",
		Short:   "Print a built-in workload as a scenario file",
		Example: "  timerbench scenario print kafka-purgatory >mine.toml",
		Args:    oneArg("the name of a workload, see " + asTyped("list", "workloads")),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, ok := workload.Find(args[0])
			if !ok {
				var names []string
				for _, w := range workload.All() {
					names = append(names, w.Name)
				}
				return unknown("workload", args[0], names)
			}
			text, err := scenario.Print(w)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}

func newScenarioCheck() *cobra.Command {
	return &cobra.Command{
		Use:     "check FILE...",
		Short:   "Check scenario files, and show what they come to",
		Example: "  timerbench scenario check scenarios/*.toml",
		Args:    someArgs("scenario files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := scenario.Load(args...)
			if err != nil {
				return err
			}
			listWorkloads(cmd.OutOrStdout(), list)
			return nil
		},
	}
}
