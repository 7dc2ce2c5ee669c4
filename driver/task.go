package driver

import "unsafe"

// Task is what a driver keeps in its structures: what to do when a timer fires. Only the
// driver knows what is in it.
//
// It is one word, as there are as many as there are timers: a function, or a *Timer that
// knows its function. A function value points to a word. A task of a Timer points to the
// second byte of it instead of the first one. So the two are told apart without a look at
// the Timer, which its owner may have overwritten.
type Task struct{ p unsafe.Pointer }

// taskOf returns the task of calling f, for a timer that nobody knows but by its ID.
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

// internal is a timer that tells its owner when it is due, with the shard locked. It has
// no function, unless it goes by the wall clock. The Timer must come first.
type internal struct {
	t     Timer
	owner interface{ due() }
}

// internal returns what t is the timer of.
func (t *Timer) internal() *internal { return (*internal)(unsafe.Pointer(t)) }

// overwritten is what runs in the place of a timer that is not the one any more that was
// put into the structure.
func overwritten() {
	panic("driver: a Timer was overwritten while it was pending, as by *c = conn{}: Stop it before")
}

func mustRun(f func(), caller string) {
	if f == nil {
		panic("driver: " + caller + ": the function is nil")
	}
}
