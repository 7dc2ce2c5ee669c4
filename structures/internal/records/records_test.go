package records

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
	"weak"
)

func TestHasPointers(t *testing.T) {
	type number float64
	for _, c := range []struct {
		value any // nil pointers, as only the type counts
		want  bool
	}{
		{false, false}, {int8(0), false}, {uint64(0), false}, {uintptr(0), false}, {number(0), false}, {complex128(0), false},
		{struct{}{}, false}, {[3]int{}, false}, {[2][2]bool{}, false}, {struct{ a, b number }{}, false}, {[0]struct{ a [4]byte }{}, false},
		{"", true}, {new(int), true}, {[]int{}, true}, {map[int]int{}, true}, {func() {}, true}, {make(chan int), true}, {unsafe.Pointer(nil), true},
		{[1]error{}, true}, {[2]*int{}, true}, {[2][2]string{}, true}, {[2]struct {
			n int
			f func()
		}{}, true},
		{struct {
			n int
			p *int
		}{}, true},
		{struct {
			a [2]int
			b [2]any
		}{}, true},
	} {
		if got := hasPointers(reflect.TypeOf(c.value)); got != c.want {
			t.Errorf("hasPointers(%T) = %t, want %t", c.value, got, c.want)
		}
	}
}

// Cancel clears a value of any type: of the size of a pointer and of others, with pointers anywhere in it.
func TestClearValueDropsReferences(t *testing.T) {
	type held = *[64]byte
	clears(t, func(p held) held { return p })
	clears(t, func(p held) [1]held { return [1]held{p} })
	clears(t, func(p held) [3]held { return [3]held{2: p} })
	clears(t, func(p held) any { return p })
	clears(t, func(p held) func() held { return func() held { return p } })
	clears(t, func(p held) map[int]held { return map[int]held{1: p} })
	clears(t, func(p held) []held { return []held{p} })
	clears(t, func(p held) [2]struct {
		n int
		p held
	} {
		return [2]struct {
			n int
			p held
		}{1: {1, p}}
	})
}

func clears[T any](t *testing.T, valueOf func(*[64]byte) T) {
	t.Helper()
	s := Of[T]()
	value := new([64]byte)
	s.Take() // record 0
	index := s.Take()
	r := s.At(index)
	r.Start(1)
	(*Valued[T])(unsafe.Pointer(r)).Value = valueOf(value)
	left := weak.Make(value)
	runtime.KeepAlive(value)
	if runtime.GC(); left.Value() == nil {
		t.Errorf("%T: the value of a pending timer was collected", *new(T))
	}
	s.ClearValue(r)
	for range 4 { // the stack may still have had it
		if runtime.GC(); left.Value() == nil {
			break
		}
	}
	if left.Value() != nil {
		t.Errorf("%T: the value was not dropped", *new(T))
	}
	runtime.KeepAlive(&s)
}
