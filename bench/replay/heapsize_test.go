package replay

import (
	"runtime"
	"testing"
)

func TestWhatIsOnTheHeapIsMeasured(t *testing.T) {
	const size = 10 << 20
	before := Measure()
	held := make([]byte, size)
	after := Measure()
	runtime.KeepAlive(held)
	if got := after.BytesSince(before); got < size-1024 || got > size+size/10 { // something small of the runtime may go meanwhile
		t.Errorf("%.0f bytes, want %d", got, size)
	}
	if got := before.BytesSince(after); got != 0 {
		t.Errorf("%.0f bytes, want 0", got)
	}
	if a, b := (Use{Collect: 1}), (Use{Collect: 3}); b.CollectSince(a) != 2 || a.CollectSince(b) != 0 {
		t.Errorf("%g and %g ns", b.CollectSince(a), a.CollectSince(b))
	}
	if after.Collect <= 0 {
		t.Errorf("a collection takes %v", after.Collect)
	}
}
