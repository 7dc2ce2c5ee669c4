package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/driver/crontab"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain SPEC",
		Short: "Print the next five runs of a cron expression, and where other systems read it differently",
		Example: `  timerd explain '0 0 13 * 5'
  timerd explain 'CRON_TZ=Europe/Berlin 30 2 * * *'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := crontab.Explain(args[0], time.UTC)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), e)
			return err
		},
	}
}
