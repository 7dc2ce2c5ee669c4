// Command nginx writes a trace of the timers of nginx from a debug log. nginx must be built --with-debug, as in Debian, and
// have "error_log FILE debug;" in its configuration.
//
//	go run ./recordings/nginx -about "nginx 1.26 under load" -o nginx.trace /var/log/nginx/error.log
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/trace"
)

func main() {
	out := flag.String("o", "", "`file` for the trace")
	about := flag.String("about", "the timers of nginx", "`text` that describes the trace")
	flag.Parse()
	if err := write(*out, *about, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "nginx:", err)
		os.Exit(1)
	}
}

// write writes the trace of a log. The file is written only after the whole log is read.
func write(out, about string, logs []string) error {
	if out == "" || len(logs) != 1 {
		return errors.New("want -o FILE and the log of one run")
	}
	in, err := os.Open(logs[0])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading
	var made bytes.Buffer
	w, err := trace.NewWriter(&made, trace.Header{
		Name:        strings.TrimSuffix(filepath.Base(out), filepath.Ext(out)),
		Description: about, Tick: time.Millisecond,
	})
	if err == nil {
		err = readLog(in, logs[0], w)
	}
	if err != nil {
		return err
	}
	return files.WriteBytes(out, made.Bytes())
}
