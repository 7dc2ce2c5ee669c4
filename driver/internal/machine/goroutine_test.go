package machine

import (
	"sync"
	"testing"
)

// Goroutines that live at the same time have different numbers, and each keeps its own when its stack grows.
func TestGoroutine(t *testing.T) {
	const n = 100
	var mu sync.Mutex
	seen := make(map[uintptr]bool)
	var all, ready sync.WaitGroup
	ready.Add(n)
	for range n {
		all.Go(func() {
			me := Goroutine()
			mu.Lock()
			if seen[me] {
				t.Errorf("two goroutines have the number %d", me)
			}
			seen[me] = true
			mu.Unlock()
			ready.Done()
			ready.Wait()
			if got := deep(1000); got != me {
				t.Errorf("Goroutine = %d, and %d on a larger stack", me, got)
			}
		})
	}
	all.Wait()
}

//go:noinline
func deep(n int) uintptr {
	var space [64]byte
	if n == 0 {
		return Goroutine()
	}
	return deep(n-1) + uintptr(space[n%64])
}
