// Package counters serves the counters of the runtime.
package counters

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"
)

const env = "TIMERBENCH_COUNTERS"

func init() {
	address := os.Getenv(env)
	if address == "" {
		return
	}
	at, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintf(os.Stderr, "timerbench: %s=%q: want a host and a free port, such as 127.0.0.1:9464: %v; no counters are served\n", env, address, err)
		return
	}
	if strings.HasSuffix(address, ":0") {
		fmt.Fprintf(os.Stderr, "timerbench: counters at http://%s/metrics\n", at.Addr())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", metrics)
	mux.HandleFunc("/debug/vars", vars)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() { fmt.Fprintln(os.Stderr, "timerbench: counters:", server.Serve(at)) }()
}

func metrics(w http.ResponseWriter, _ *http.Request) {
	c := runtime.TimerbenchCount()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	for _, m := range []struct {
		name, kind, help string
		value            uint64
	}{
		{"pending", "gauge", "Timers in the heaps of the runtime that are not stopped; a channel while a goroutine waits for it.", c.Pending},
		{"stopped_in_heap", "gauge", "Timers that were stopped, or channels that were left, and are still in the heaps.", c.Dead},
		{"started_total", "counter", "Timers that were started.", c.Started},
		{"moved_total", "counter", "Timers that were pending at a Reset.", c.Moved},
		{"stopped_total", "counter", "Timers that were stopped before they fired.", c.Stopped},
		{"fired_total", "counter", "Timers and ticks that have fired.", c.Fired},
	} {
		fmt.Fprintf(w, "# HELP timerbench_time_timers_%s %s\n# TYPE timerbench_time_timers_%[1]s %[3]s\ntimerbench_time_timers_%[1]s %[4]d\n", m.name, m.help, m.kind, m.value)
	}
}

// vars answers as package expvar does.
func vars(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"timerbench": runtime.TimerbenchCount()}) // the client may have left
}
