// Package parallel calls functions on all processors, and returns their panics as errors.
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// Shuffled returns a list in random order. IntN returns a number from 0 to n-1.
func Shuffled[T any](random interface{ IntN(n int) int }, list []T) []T {
	out := slices.Clone(list)
	for i := range out {
		j := random.IntN(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// Each calls do with each of a list, on all processors, and returns the errors in the
// order of the list. Use it for untimed work only. When ctx is done, the rest have its error.
func Each[T any](ctx context.Context, list []T, do func(T) error) []error {
	errs := make([]error, len(list))
	queue := make(chan int)
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		working.Go(func() {
			for i := range queue {
				errs[i] = Try(ctx, func() error { return do(list[i]) })
			}
		})
	}
	for i := range list {
		queue <- i
	}
	close(queue)
	working.Wait()
	return errs
}

// Try calls do and returns a panic of a structure as an error. If ctx is done, it returns the error of ctx.
func Try(ctx context.Context, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panics: %v", p)
		}
	}()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return do()
}
