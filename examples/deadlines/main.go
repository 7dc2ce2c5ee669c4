// Command deadlines shows calls that end at the deadline of their client, as in gRPC: a server of net/http that gives each
// request with the header Grpc-Timeout a context of a driver.
package main

import (
	"fmt"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// units are the units of the header.
var units = map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': 1}

// WithDeadlines gives each request with the header a context with its deadline.
func WithDeadlines(d *driver.Driver, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := r.Header.Get("Grpc-Timeout")
		if text == "" {
			next.ServeHTTP(w, r)
			return
		}
		last := len(text) - 1
		n, err := strconv.ParseUint(text[:last], 10, 64)
		unit := units[text[last]]
		if err != nil || unit == 0 || last > 8 {
			http.Error(w, "Grpc-Timeout: want up to 8 digits and one of HMSmun", http.StatusBadRequest)
			return
		}
		n = min(n, uint64(math.MaxInt64/unit))
		ctx, cancel := d.WithTimeout(r.Context(), time.Duration(n)*unit)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// slow answers after a second, or when its client stops waiting.
func slow(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(time.Second):
		fmt.Fprintln(w, "done")
	case <-r.Context().Done():
		http.Error(w, r.Context().Err().Error(), http.StatusGatewayTimeout)
	}
}

func main() {
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Grpc-Timeout", "50m")
	w := httptest.NewRecorder()
	WithDeadlines(d, http.HandlerFunc(slow)).ServeHTTP(w, r)
	fmt.Printf("%d %s", w.Code, w.Body)
}
