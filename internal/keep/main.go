// Command keep packs the results of a run into the file that package advice embeds:
//
//	go run ./internal/keep RESULTS FILE
package main

import (
	"fmt"
	"os"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/advice"
)

func main() {
	if err := keep(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "keep:", err)
		os.Exit(1)
	}
}

func keep(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%q: want a results file and the file to write", args)
	}
	r, err := results.Read(args[0])
	if err != nil {
		return err
	}
	return advice.Pack(args[1], r)
}
