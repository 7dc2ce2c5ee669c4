package driver

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Contexts in a row tell their parents so that at most eight in a row are unknown: of 20, the 9th and the 18th do, for all before them.
func TestEveryNinthContextIsKnownToItsParent(t *testing.T) {
	d := Made(t)
	ctx, told := context.Background(), []int(nil)
	var all []*deadlineContext
	for i := range 20 {
		c, cancel := d.WithTimeout(ctx, time.Hour-time.Duration(i)*time.Second)
		defer cancel()
		if all, ctx = append(all, c.(*deadlineContext)), c; !slices.ContainsFunc(all, func(c *deadlineContext) bool { return c.waiting.Load() == nil }) {
			told = append(told, i)
		}
	}
	if !slices.Equal(told, []int{8, 17}) {
		t.Errorf("all contexts are known after %v, want 8 and 17", told)
	}
}

// counting counts the calls of Err.
type counting struct {
	context.Context
	n *int
}

func (c counting) Err() error {
	*c.n++
	return c.Context.Err()
}

// Err asks a few of the parents, however deep a context is: only the outermost after a call of Done.
func TestErrDoesNotAskAllParents(t *testing.T) {
	d, n := Made(t), 0
	ctx := context.Background()
	for i := range 1000 {
		var cancel context.CancelFunc
		ctx, cancel = d.WithTimeout(counting{ctx, &n}, 24*time.Hour-time.Duration(i)*time.Second)
		defer cancel()
	}
	for _, most := range []int{maxUnknown + 1, 1} {
		if n = 0; ctx.Err() != nil || n > most {
			t.Errorf("Err asks %d contexts, want at most %d", n, most)
		}
		ctx.Done()
	}
}

// Whoever asks a context while its parent is ending hears that it has ended, as the parent has.
func TestAContextHasEndedWhileItsParentTellsItsChildren(t *testing.T) {
	d := Made(t)
	parent, end := d.WithTimeout(context.Background(), 2*time.Hour)
	child, cancel := d.WithTimeout(parent, time.Hour)
	defer cancel()
	child.Done()
	var got error
	parent.(*deadlineContext).AfterFunc(func() { got = child.Err() })
	if end(); got != context.Canceled || child.Err() != got { //nolint:errorlint // it is this error
		t.Errorf("the child said %v, then %v", got, child.Err())
	}
}

// Whoever hears from Err that a context has ended finds Done closed.
func TestErrWaitsForDone(t *testing.T) {
	Alone(t, func(t *testing.T, d *Driver) {
		ctx, cancel := d.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		c, done, told := ctx.(*deadlineContext), ctx.Done(), false
		c.ending.Store(&canceled) // as end does, before it closes done
		go func() {
			_ = ctx.Err()
			told = true
		}()
		if synctest.Wait(); told {
			t.Error("Err says that the context has ended, and Done is open")
		}
		close(c.waiting.Load().done)
		<-done
	})
}
