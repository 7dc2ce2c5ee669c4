package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/results"
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
loses in the last results, if there are any.`,
		Example: `  timerbench explain hwheel
  timerbench explain rbtree --html rbtree.html
  timerbench explain quadheap-lazy --results ` + runsFolder + `/latest`,
		Args: oneArg("the name of a structure, see " + asTyped("list", "structures")),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := findStructure(args[0])
			if err != nil {
				return err
			}
			r, err := resultsFor(from, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			x := report.Explain(e, r)
			if html == "" && svg == "" {
				_, err := io.WriteString(cmd.OutOrStdout(), x.Text())
				return err
			}
			if err := writeTo(html, x.HTML); err != nil {
				return fmt.Errorf("--html %s: %w", html, err)
			}
			if err := writeTo(svg, x.SVG); err != nil {
				return fmt.Errorf("--svg %s: %w", svg, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&from, "results", "r", "", "results `file`, or folder of runs (default: the last run in "+runsFolder+"/, if there is one)")
	cmd.Flags().StringVar(&html, "html", "", "write the page to this `file`, instead of the text")
	cmd.Flags().StringVar(&svg, "svg", "", "write the drawing to this `file`, instead of the text")
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

// resultsFor reads the results that the user has named, or else the last ones. There may be
// none, for which it returns nil and says why.
func resultsFor(named string, stderr io.Writer) (*results.Run, error) {
	from := named
	if from == "" {
		from = runsFolder
	}
	path, err := locate(from)
	if err == nil {
		return results.Read(path)
	}
	if named != "" {
		return nil, fmt.Errorf("--results: %w", err)
	}
	fmt.Fprintln(stderr, "without results:", err)
	return nil, nil
}

// writeTo writes what make returns to a file, unless the path is empty.
func writeTo(path string, make func() ([]byte, error)) error {
	if path == "" {
		return nil
	}
	data, err := make()
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, data)
}
