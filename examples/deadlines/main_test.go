package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

func TestACallEndsAtItsDeadlineOrWithItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := driver.New() // without options there is no error
		defer d.Close()
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
		d, _ := driver.New() // without options there is no error
		defer d.Close()
		h := WithDeadlines(d, http.HandlerFunc(slow))
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
