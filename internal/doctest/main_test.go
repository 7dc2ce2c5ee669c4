package doctest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// All paths in these tests begin at the root of the module.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
