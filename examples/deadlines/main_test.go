package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/driver"
)

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

// Calls of an http.Server end at their deadline or when their client leaves, and leave no timer.
func TestCallsOfAServerEnd(t *testing.T) {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	begun := make(chan bool)
	server := httptest.NewServer(WithDeadlines(d, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- true
		child, cancel := context.WithCancel(r.Context())
		defer cancel()
		<-child.Done()
		http.Error(w, child.Err().Error(), http.StatusGatewayTimeout)
	})))
	call := func(ctx context.Context, timeout string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Grpc-Timeout", timeout)
		return server.Client().Do(r)
	}
	go func() { <-begun }()
	answer, err := call(t.Context(), "30m")
	if err != nil || answer.StatusCode != http.StatusGatewayTimeout {
		t.Fatalf("%v, %v", answer, err)
	}
	text, _ := io.ReadAll(answer.Body)
	if string(text) != "context deadline exceeded\n" {
		t.Errorf("answered %q", text)
	}
	_ = answer.Body.Close()

	ctx, leave := d.WithTimeout(t.Context(), time.Hour)
	go func() {
		<-begun
		leave()
	}()
	if _, err := call(ctx, "1H"); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that leaves: %v", err)
	}
	server.Close() // waits for calls
	if d.Len() != 0 {
		t.Errorf("%d timers are left", d.Len())
	}
}
