// Command pack compresses a whole trace of a program of "timerbench trace build", and gives it a description.
//
//	go run ./recordings/pack -about "etcd under load" -o etcd.trace my.trace
package main

import (
	"errors"
	"flag"
	"io"
	"log"

	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/trace"
)

func main() {
	out := flag.String("o", "", "`file` for the trace")
	about := flag.String("about", "", "`text` that describes the trace")
	flag.Parse()
	if err := pack(flag.Arg(0), *out, *about); err != nil {
		log.Fatal("pack: ", err)
	}
}

func pack(from, to, about string) error {
	in, err := trace.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it is only read
	header := in.Header()
	header.Description = about
	return files.Write(to, func(out io.Writer) error {
		w, err := trace.NewWriter(out, header)
		if err != nil {
			return err
		}
		return errors.Join(trace.Copy(w, in.Reader), w.Close(), in.CutShort())
	})
}
