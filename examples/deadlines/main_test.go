package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/examples/internal/measure"
)

func TestACallEndsAtItsDeadlineOrWithItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := measure.Driver(t)
		for _, test := range []struct {
			name           string
			timeout, outer time.Duration
			cancel         bool
			want           error
			after          time.Duration
		}{
			{"deadline", time.Second, 0, false, context.DeadlineExceeded, time.Second},
			{"none left", -1, 0, false, context.DeadlineExceeded, 0},
			{"cancelled", time.Second, 0, true, context.Canceled, 0},
			{"parent's deadline", time.Minute, time.Second, false, context.DeadlineExceeded, time.Second},
			{"parent ends", time.Minute, -time.Second, false, context.Canceled, time.Second},
		} {
			parent, stop := context.WithCancel(t.Context())
			switch {
			case test.outer > 0:
				parent, stop = context.WithTimeout(parent, test.outer)
			case test.outer < 0:
				time.AfterFunc(-test.outer, stop)
			}
			ctx, cancel := WithTimeout(parent, d, test.timeout)
			child, stopChild := context.WithCancel(ctx)
			if test.cancel {
				cancel()
			}
			start := time.Now()
			<-child.Done()
			if took := time.Since(start); took < test.after || took > test.after+time.Millisecond ||
				!errors.Is(ctx.Err(), test.want) || !errors.Is(child.Err(), test.want) {
				t.Errorf("%s: %v, child %v, after %v; want %v after %v", test.name, ctx.Err(), child.Err(), took, test.want, test.after)
			}
			cancel()
			stopChild()
			stop()
			synctest.Wait()
			if d.Len() != 0 {
				t.Errorf("%s: %d timers are left", test.name, d.Len())
			}
		}
	})
}

func TestTheHeaderSaysHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := WithDeadlines(measure.Driver(t), http.HandlerFunc(slow))
		for text, want := range map[string]int{
			"": 200, "2S": 200, "1M": 200, "99999999H": 200, "999m": 504, "5u": 504, "0n": 504, "S": 400, "-1S": 400, "3": 400, "123456789H": 400, "1x": 400,
		} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Grpc-Timeout", text)
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != want {
				t.Errorf("%q: status %d, want %d", text, w.Code, want)
			}
		}
	})
}

// BenchmarkCall ends one of 100,000 calls before its deadline, and starts another.
func BenchmarkCall(b *testing.B) {
	start := func(with func() context.CancelFunc) func(int) {
		calls := make([]context.CancelFunc, measure.N)
		for i := range calls {
			calls[i] = with()
		}
		return func(i int) {
			calls[i]()
			calls[i] = with()
		}
	}
	root := context.Background()
	measure.Run(b, measure.Side{Of: "driver", Start: func(b *testing.B) func(int) {
		d := measure.Driver(b)
		return start(func() context.CancelFunc { _, cancel := WithTimeout(root, d, time.Minute); return cancel })
	}}, measure.Side{Of: "time", Start: func(*testing.B) func(int) {
		return start(func() context.CancelFunc { _, cancel := context.WithTimeout(root, time.Minute); return cancel })
	}})
}
