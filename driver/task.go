package driver

import "unsafe"

// Task is the value type of a driver's structures: what to do when a timer fires. Only the driver knows its contents.
//
// A Task is one word, because there is one per timer. It is a function, or a *Timer, which knows its function.
// A function value points to a word. The Task of a Timer points to the second byte of the Timer instead of the
// first. So the driver can tell the two apart without reading the Timer, which its owner may have overwritten.
type Task struct{ p unsafe.Pointer }

// taskOf returns the task of calling f, for a timer that only its ID names.
func taskOf(f func()) Task { return Task{*(*unsafe.Pointer)(unsafe.Pointer(&f))} }

func (t *Timer) task() Task { return Task{unsafe.Add(unsafe.Pointer(t), 1)} }

func (task Task) timer() *Timer {
	if uintptr(task.p)&1 == 0 {
		return nil
	}
	return (*Timer)(unsafe.Add(task.p, -1))
}

func (task Task) function() (f func()) {
	*(*unsafe.Pointer)(unsafe.Pointer(&f)) = task.p
	return f
}

// internal is a timer that calls its owner when it is due, with the shard locked. It has no
// function, unless it follows the wall clock. The Timer must come first.
type internal struct {
	t     Timer
	owner interface{ due() (fired bool) }
}

func (t *Timer) internal() *internal { return (*internal)(unsafe.Pointer(t)) }

// overwritten runs instead of the function of a Timer that was overwritten while it was pending.
func overwritten() {
	panic("driver: a Timer was overwritten while it was pending, as by *c = conn{}: Stop it before")
}

func mustRun(f func(), caller string) {
	if f == nil {
		panic("driver: " + caller + ": the function is nil")
	}
}
