package main

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/examples/internal/measure"
)

func TestSessionsEndIdleOrAfterAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(measure.Driver(t), 9*time.Minute, 58*time.Minute)
		idle, busy, out := s.Start("idle"), s.Start("busy"), s.Start("out")
		s.End(out)
		h := s.Only(func(_ http.ResponseWriter, _ *http.Request, x *Session) {
			if x.User != "busy" {
				t.Errorf("it is the session of %s", x.User)
			}
		})
		for minute := 0; minute < 70; minute += 5 {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.AddCookie(&http.Cookie{Name: cookie, Value: busy})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if (w.Code == http.StatusOK) != (minute < 58) {
				t.Errorf("minute %d: status %d", minute, w.Code)
			}
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			if _, there := s.sessions[idle]; there != (minute+5 < 9) {
				t.Errorf("minute %d: the idle session is there: %v", minute+5, there)
			}
		}
		if _, ok := s.Use(idle); ok || len(s.sessions) != 0 || s.d.Len() != 0 {
			t.Errorf("%d sessions and %d timers are left", len(s.sessions), s.d.Len())
		}
	})
}

// timed is the session store on package time.
type timed struct {
	mu       sync.Mutex
	sessions map[string]*timedSession
}

type timedSession struct {
	user, token string
	used        time.Time
	idle, end   *time.Timer
}

func (s *timed) start(user string, idle, all time.Duration) string {
	x := &timedSession{user: user, token: rand.Text(), used: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[x.token] = x
	stop := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		x.idle.Stop()
		x.end.Stop()
		delete(s.sessions, x.token)
	}
	x.idle = time.AfterFunc(idle, func() { stop() })
	x.end = time.AfterFunc(all, stop)
	return x.token
}

func (s *timed) use(token string, idle time.Duration) (*timedSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[token]
	if x == nil {
		return nil, false
	}
	x.used = time.Now()
	x.idle.Reset(idle)
	return x, true
}

// BenchmarkUse uses one of 100,000 sessions.
func BenchmarkUse(b *testing.B) {
	const idle, all = time.Hour, 12 * time.Hour
	start := func(start func() string, use func(string)) func(int) {
		tokens := make([]string, measure.N)
		for i := range tokens {
			tokens[i] = start()
		}
		return func(i int) { use(tokens[i]) }
	}
	measure.Run(b, measure.Side{Of: "driver", Start: func(b *testing.B) func(int) {
		s := New(measure.Driver(b), idle, all)
		return start(func() string { return s.Start("") }, func(token string) { s.Use(token) })
	}}, measure.Side{Of: "time", Start: func(*testing.B) func(int) {
		s := &timed{sessions: make(map[string]*timedSession)}
		return start(func() string { return s.start("", idle, all) }, func(token string) { s.use(token, idle) })
	}})
}
