package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

func TestSessionsEndIdleOrAfterAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _ := driver.New() // without options there is no error
		defer d.Close()
		s := New(d, 9*time.Minute, 58*time.Minute)
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
