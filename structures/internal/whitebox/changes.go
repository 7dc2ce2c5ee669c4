package whitebox

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
)

// noticed has a line for each package: how many changes of its structure were tried, and how many of those CheckInvariants notices.
//
//go:embed noticed.txt
var noticed string

// changes changes each number, flag, slice and pointer of a structure, one at a time. A change that CheckInvariants does not notice does no
// harm, such as one of a counter of work, or is missed.
type changes struct {
	check         func() error
	seen          map[unsafe.Pointer]uintptr // the size of what was changed there
	tried, missed []string
}

// Changes checks that CheckInvariants notices as many changes of a structure as noticed.txt says. The structure is empty, then has
// timers on their way to their places, then one that is due and others of all delays, some of which moved, and at last none that is due.
func Changes(t *testing.T, name string, s structures.Scheduler[uint64]) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	c := changes{check: func() error {
		return rules.FirstBroken(name, func() { // which finds that a pointer is nil, too
			if err := s.(Checked).CheckInvariants(); err != nil {
				panic(err)
			}
		})
	}}
	schedule := func(deadlines ...structures.Tick) (id structures.ID) {
		for i, at := range deadlines {
			id = s.Schedule(at, uint64(i))
		}
		return id
	}
	state := func(now structures.Tick) {
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		c.seen = make(map[unsafe.Pointer]uintptr)
		c.try(fmt.Sprint("at ", now), reflect.ValueOf(s))
	}
	s.Cancel(schedule(20))
	s.Next()
	state(0)
	early, late, gone := schedule(31), schedule(4000), schedule(20)
	schedule(5, 5, 5, 10, 10, 12, 100, 300, 301, 1000, 5000, 70_000, 75_000, 76_000, 1<<40, 1<<62)
	s.Next()
	s.Reschedule(early, 4000)
	s.Reschedule(late, 30)
	schedule(14)
	s.Cancel(gone)
	state(0)
	for _, now := range []structures.Tick{5, 8, 1000, 70_002} {
		s.Next()
		s.Pop(now)
		state(now)
		schedule(now+2, now+2, now+500, now+501)
	}
	s.Next()
	for range 23 { // all that are due
		s.Pop(70_002)
	}
	state(70_002)
	for range 99 {
		s.Pop(1 << 39)
	}
	state(1 << 39)
	if got := fmt.Sprintf("%s %d of %d\n", name, len(c.tried)-len(c.missed), len(c.tried)); !strings.Contains(noticed, got) {
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
		if !v.IsNil() {
			c.set(path, "nil", v, reflect.Zero(v.Type()))
			copied := reflect.New(v.Type().Elem())
			copied.Elem().Set(v.Elem())
			c.set(path, "a copy", v, copied)
		}
		if at, size := v.UnsafePointer(), v.Type().Elem().Size(); at != nil && size > c.seen[at] {
			c.seen[at] = size
			c.try(path, v.Elem())
		}
	case reflect.Interface:
		c.try(path, v.Elem())
	case reflect.Slice, reflect.Array:
		plain := 0 // most places of a wheel are the same, or are lists that link to themselves
		for i := range v.Len() {
			e := v.Index(i)
			if e.IsZero() || i > 0 && e.Comparable() && e.Equal(v.Index(i-1)) || linksToItself(e) {
				if plain++; plain > 2 {
					continue
				}
			}
			c.try(fmt.Sprintf("%s[%d]", path, i), e)
			if i > 0 {
				c.set(path, fmt.Sprintf("[%d] as the one before", i), e, v.Index(i-1))
			}
		}
		if v.Kind() == reflect.Slice {
			c.set(path, "longer", v, reflect.Append(v, reflect.Zero(v.Type().Elem())))
			if v.Len() > 0 {
				c.set(path, "shorter", v, v.Slice(0, v.Len()-1))
			}
		}
	case reflect.Struct:
		in := v.Type().PkgPath()
		if !strings.Contains(in, "timerbench") {
			return
		}
		if fresh := v.FieldByName("Fresh"); fresh.IsValid() { // it is paged
			at := v.Addr().MethodByName("At")
			for i := range uint32(fresh.Uint()) {
				if element := at.Call([]reflect.Value{reflect.ValueOf(i)})[0]; element.Kind() == reflect.Pointer {
					c.try(fmt.Sprintf("%s[%d]", path, i), element)
				}
			}
		}
		for i := range v.NumField() {
			if !strings.HasSuffix(in, "paged") {
				c.try(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	case reflect.Bool:
		c.set(path, "not", v, reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	default:
		if !v.CanInt() && !v.CanUint() {
			return
		}
		old := v.Convert(reflect.TypeFor[int64]())
		for _, by := range []int64{1, -1, 99, 1 << 32} {
			changed := reflect.ValueOf(old.Int() + by).Convert(v.Type())
			c.set(path, fmt.Sprintf("%+d", by), v, changed)
		}
	}
}

func linksToItself(v reflect.Value) bool {
	return v.Kind() == reflect.Struct && v.Field(0).Kind() == reflect.Pointer && v.Field(0).UnsafePointer() == v.Addr().UnsafePointer()
}

// set sets a value, calls the check, and sets the old value again.
func (c *changes) set(path, how string, v, changed reflect.Value) {
	if !v.CanSet() {
		return // a value in an interface
	}
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	v.Set(changed)
	c.tried = append(c.tried, path+" "+how)
	if c.check() == nil {
		c.missed = append(c.missed, path+" "+how)
	}
	v.Set(old)
}
