// Command count prints what the operations of a structure cost, as JSON.
//
//	count hwheel 1000
//
// It must be built with go build -cover -covermode=atomic and -coverpkg for the packages
// whose blocks are to be counted.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/internal/costs"
)

func main() {
	if err := count(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func count(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%d arguments, want a structure and a number of timers", len(args))
	}
	e, ok := catalog.Find(args[0])
	if !ok {
		return fmt.Errorf("there is no structure %q", args[0])
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n < costs.Least {
		return fmt.Errorf("%q timers, want a number from %d", args[1], costs.Least)
	}
	return json.NewEncoder(os.Stdout).Encode(costs.Measure(e, n))
}
