package driver

import "unsafe"

// Task is what a driver keeps in its structures: what to do when a timer fires. Only the
// driver knows what is in it.
//
// It is one word, as there are as many as there are timers: a function, or a *Timer that
// knows its function. What is pointed to tells which. A function value points to the address
// of the code, and a Timer begins with the address of the shard that it is in.
type Task struct{ p unsafe.Pointer }

// taskOf returns the task of calling f, for a timer that nobody knows but by its ID.
func taskOf(f func()) Task { return Task{*(*unsafe.Pointer)(unsafe.Pointer(&f))} }

// task returns the task of a timer.
func (t *Timer) task() Task { return Task{unsafe.Pointer(t)} }

// timer returns the timer of a task that was in a shard, or nil if it is a function.
func (task Task) timer(sh *shard) *Timer {
	if task.p == nil || *(*unsafe.Pointer)(task.p) != unsafe.Pointer(sh) {
		return nil
	}
	return (*Timer)(task.p)
}

// function returns the function of a task that has no timer.
func (task Task) function() (f func()) {
	*(*unsafe.Pointer)(unsafe.Pointer(&f)) = task.p
	return f
}

// internal is a timer that the driver does not run a function for, but deals with itself,
// when is internally for all of them while they are pending. The Timer must come first.
type internal struct {
	t   Timer
	due func() // called by the pass, with the shard locked
}

// internal returns what t is the timer of.
func (t *Timer) internal() *internal { return (*internal)(unsafe.Pointer(t)) }
