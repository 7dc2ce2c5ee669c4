package whitebox

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
)

// noticed has a line for each package: how many changes of its structure were tried, and how many of those CheckInvariants notices.
//
//go:embed noticed.txt
var noticed string

// changes changes each number, flag and slice of a structure, one at a time. A change that CheckInvariants does not notice does no
// harm, such as one of a counter of work, or is missed.
type changes struct {
	check         func() error
	seen          map[any]bool // pointers
	tried, missed []string
}

// notices checks that CheckInvariants notices as many changes of a structure as noticed.txt says. The structure is empty, then has
// timers that are due and others of all delays, some of which moved, and at last none that is due.
func notices(t *testing.T, pkg string, s structures.Scheduler[uint64]) {
	c := changes{check: s.(Checked).CheckInvariants}
	schedule := func(deadlines ...structures.Tick) (id structures.ID) {
		for i, at := range deadlines {
			id = s.Schedule(at, uint64(i))
		}
		return id
	}
	state := func(now structures.Tick, pops int) {
		s.Next()
		for range pops {
			s.Pop(now)
		}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		c.seen = make(map[any]bool)
		c.try(fmt.Sprint("at ", now), reflect.ValueOf(s))
	}
	s.Cancel(schedule(20))
	state(0, 0)
	s.Cancel(schedule(5, 5, 5, 10, 10, 12, 100, 300, 301, 1000, 5000, 70_000, 1<<40, 1<<62, 20))
	s.Reschedule(schedule(30), 4000)
	s.Reschedule(schedule(4000), 31)
	for _, now := range []structures.Tick{5, 8, 1000, 70_002} {
		state(now, 2)
		schedule(now+2, now+2, now+500, now+501)
	}
	state(1<<39, 99)
	if got := fmt.Sprintf("%s %d of %d\n", pkg, len(c.tried)-len(c.missed), len(c.tried)); !strings.Contains(noticed, got) {
		t.Errorf("whitebox/noticed.txt lacks this line: %sNot noticed:\n%s", got, strings.Join(c.missed, "\n"))
	}
}

// try changes a value, and all to which it leads within this module.
func (c *changes) try(path string, v reflect.Value) {
	if v.CanAddr() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // may be set
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || c.seen[v.Interface()] {
			return
		}
		c.seen[v.Interface()] = true
		c.try(path, v.Elem())
	case reflect.Interface:
		c.try(path, v.Elem())
	case reflect.Slice, reflect.Array:
		zeros := 0 // most places of a wheel are the same
		for i := range v.Len() {
			if v.Index(i).IsZero() {
				zeros++
			}
			if zeros <= 2 || !v.Index(i).IsZero() {
				c.try(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
				if i > 0 {
					c.set(path, fmt.Sprintf("[%d] as the one before", i), v.Index(i), v.Index(i-1))
				}
			}
		}
		if v.Kind() == reflect.Slice && v.CanSet() {
			c.set(path, "longer", v, reflect.Append(v, reflect.Zero(v.Type().Elem())))
			if v.Len() > 0 {
				c.set(path, "shorter", v, v.Slice(0, v.Len()-1))
			}
		}
	case reflect.Struct:
		if timers, ok := v.Addr().Interface().(*fifo.Timers); ok {
			for slot := range timers.Fresh {
				c.try(fmt.Sprint(path, ".slot ", slot), reflect.ValueOf(timers.At(slot)))
			}
		}
		if !strings.Contains(v.Type().PkgPath(), "timerbench") || strings.HasSuffix(v.Type().PkgPath(), "paged") {
			return
		}
		for i := range v.NumField() {
			c.try(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Bool:
		c.set(path, "not", v, reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	default:
		if !v.CanInt() && !v.CanUint() || v.Kind() == reflect.Uintptr {
			return
		}
		old := v.Convert(reflect.TypeFor[int64]())
		for _, by := range []int64{1, -1, 99} {
			changed := reflect.ValueOf(old.Int() + by).Convert(v.Type())
			c.set(path, fmt.Sprintf("%+d", by), v, changed)
		}
	}
}

// set sets a value, calls the check, and sets the old value again.
func (c *changes) set(path, how string, v, changed reflect.Value) {
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	v.Set(changed)
	c.tried = append(c.tried, path+" "+how)
	if c.check() == nil {
		c.missed = append(c.missed, path+" "+how)
	}
	v.Set(old)
}
