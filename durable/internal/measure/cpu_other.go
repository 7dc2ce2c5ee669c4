//go:build !unix

package main

import "time"

// processorTime returns 0: the processor time is not known here.
func processorTime() time.Duration { return 0 }
