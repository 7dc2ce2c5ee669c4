// Command sessions shows a session store for net/http. A session ends when it has not been used
// for some time, and after a longer time in any case.
package main

import (
	"crypto/rand"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Store holds sessions by token.
type Store struct {
	d         *driver.Driver
	idle, all time.Duration // how long a session lasts without a use, and at most

	mu       sync.Mutex
	sessions map[string]*Session
}

// Session is the session of a user. Its two timers are fields.
type Session struct {
	User      string
	token     string
	used      time.Time // guarded by the lock of the store
	idle, end driver.Timer
}

// New returns an empty store.
func New(d *driver.Driver, idle, all time.Duration) *Store {
	return &Store{d: d, idle: idle, all: all, sessions: make(map[string]*Session)}
}

// Start starts a session and returns its token.
func (s *Store) Start(user string) (token string) {
	x := &Session{User: user, token: rand.Text(), used: time.Now()}
	s.d.Init(&x.idle, func() { s.expire(x) })
	s.d.Init(&x.end, func() { s.End(x.token) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[x.token] = x
	x.idle.Reset(s.idle)
	x.end.Reset(s.all)
	return x.token
}

// Use returns a session that has not ended, and restarts its idle time.
func (s *Store) Use(token string) (*Session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.sessions[token]
	if x == nil {
		return nil, false
	}
	x.used = time.Now()
	x.idle.Reset(s.idle)
	return x, true
}

// End ends a session, if there is one with this token.
func (s *Store) End(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(s.sessions[token])
}

// end ends a session. The lock is held.
func (s *Store) end(x *Session) {
	if x != nil {
		x.idle.Stop()
		x.end.Stop()
		delete(s.sessions, x.token)
	}
}

// expire is called by the timer. The session may have been used or may have ended meanwhile.
func (s *Store) expire(x *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[x.token] == x && time.Since(x.used) >= s.idle {
		s.end(x)
	}
}

const cookie = "session"

// Only passes requests that have a session on to next, and refuses others.
func (s *Store) Only(next func(http.ResponseWriter, *http.Request, *Session)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie(cookie); err == nil {
			if x, ok := s.Use(c.Value); ok {
				next(w, r, x)
				return
			}
		}
		http.Error(w, "log in first", http.StatusUnauthorized)
	})
}

func main() {
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	s := New(d, 200*time.Millisecond, time.Hour)
	h := s.Only(func(w http.ResponseWriter, _ *http.Request, x *Session) { fmt.Fprintln(w, "hello", x.User) })
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(&http.Cookie{Name: cookie, Value: s.Start("alice")})
	for _, wait := range []time.Duration{20 * time.Millisecond, 500 * time.Millisecond} {
		time.Sleep(wait)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Printf("after %v: %d %s", wait, w.Code, w.Body)
	}
}
