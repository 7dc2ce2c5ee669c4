package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/internal/atomicfile"
	"github.com/timerbench/timerbench/report"
	"github.com/timerbench/timerbench/structures/catalog"
)

func newExplain() *cobra.Command {
	var from, html, svg string
	cmd := &cobra.Command{
		Use:   "explain STRUCTURE",
		Short: "Show how a structure works, what it costs, and where it wins",
		Long: `Show how a structure works: a drawing of a live instance after each operation, with the
work that it counts. Also what it costs and promises, who uses it, and where it wins and
loses in the results: those of --results, or else those that recommend takes.`,
		Example: `  timerbench explain hwheel
  timerbench explain rbtree --html rbtree.html
  timerbench explain quadheap-lazy --results ` + runsFolder + `/latest`,
		Args: oneArg("the name of a structure, see " + asTyped("list", "structures")),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := findStructure(args[0])
			if err != nil {
				return err
			}
			var named []string
			if from != "" {
				named = []string{from}
			}
			r, path, note, err := adviceResults(named)
			if err != nil {
				return fmt.Errorf("--results: %w", err)
			}
			if from == "" {
				fmt.Fprintln(cmd.ErrOrStderr(), "results:", strings.TrimSuffix(path+"; "+note, "; "))
			}
			x := report.Explain(e, r)
			if html == "" && svg == "" {
				_, err := io.WriteString(cmd.OutOrStdout(), x.Text())
				return err
			}
			if err := writeTo(html, cmd.OutOrStdout(), written(x.HTML)); err != nil {
				return fmt.Errorf("--html %s: %w", html, err)
			}
			if err := writeTo(svg, cmd.OutOrStdout(), written(x.SVG)); err != nil {
				return fmt.Errorf("--svg %s: %w", svg, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&from, "results", "r", "", "results `file`, or folder of runs (default: those that recommend takes)")
	cmd.Flags().StringVar(&html, "html", "", "write the page to this `file`, instead of the text"+orStdout)
	cmd.Flags().StringVar(&svg, "svg", "", "write the drawing to this `file`, instead of the text"+orStdout)
	return cmd
}

// findStructure returns the entry of that name. An error names the nearest one.
func findStructure(name string) (catalog.Entry, error) {
	if e, ok := catalog.Find(name); ok {
		return e, nil
	}
	var names []string
	for _, e := range catalog.All() {
		names = append(names, e.Name)
	}
	return catalog.Entry{}, unknown("structure", name, names)
}

// writeTo writes a file, or to the standard output if path is "-", or nothing if it is empty.
func writeTo(path string, stdout io.Writer, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case "-":
		return write(stdout)
	}
	return atomicfile.Write(path, write)
}

// written writes what make returns.
func written(make func() ([]byte, error)) func(io.Writer) error {
	return func(w io.Writer) error {
		data, err := make()
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
}

// writable returns an error if writeTo would not write there, for commands that take long.
func writable(flag, path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if _, err := atomicfile.Target(path); err != nil {
		return fmt.Errorf("--%s %s: %w", flag, path, err)
	}
	return nil
}

// orStdout ends the help of flags that name a file.
const orStdout = "; - is the standard output"
