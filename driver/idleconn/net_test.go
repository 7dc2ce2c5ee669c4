package idleconn

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// loopback returns a connection with a timeout, and its peer.
func loopback(t testing.TB, timeout time.Duration, opts ...Option) (c *Conn, peer net.Conn) {
	t.Helper()
	below, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Listener(newDriver(t), below, timeout, opts...)
	peer, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _, _ = accepted.Close(), peer.Close(), l.Close() })
	return accepted.(*Conn), peer
}

// fileOf returns an open file with a text.
func fileOf(t *testing.T, text []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// readAll reads until the end, on another goroutine.
func readAll(r io.Reader) (all chan []byte) {
	all = make(chan []byte)
	go func() {
		text, _ := io.ReadAll(r)
		all <- text
	}()
	return all
}

// All bytes arrive, from files and from what is no file, whole and in part, and the time is stored for each piece.
func TestReadFrom(t *testing.T) {
	text := make([]byte, 3*piece+1000)
	for i := range text {
		text[i] = byte(i * i >> 8)
	}
	for what, from := range map[string]func(f *os.File) (r io.Reader, want []byte){
		"file":           func(f *os.File) (io.Reader, []byte) { return f, text },
		"pieces":         func(f *os.File) (io.Reader, []byte) { return io.LimitReader(f, 2*piece), text[:2*piece] },
		"a part":         func(f *os.File) (io.Reader, []byte) { return io.LimitReader(f, piece+5), text[:piece+5] },
		"beyond the end": func(f *os.File) (io.Reader, []byte) { return io.LimitReader(f, 1<<30), text },
		"from a position": func(f *os.File) (io.Reader, []byte) {
			_, _ = f.Seek(piece/2, io.SeekStart)
			return f, text[piece/2:]
		},
		"no file": func(*os.File) (io.Reader, []byte) { return io.LimitReader(bytes.NewReader(text), piece), text[:piece] },
		"a pipe": func(*os.File) (io.Reader, []byte) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = w.Write(text); _ = w.Close() }()
			return r, text
		},
	} {
		c, peer := loopback(t, time.Hour)
		counted := &pieces{Conn: c.Conn}
		c.Conn = counted
		r, want := from(fileOf(t, text))
		got := readAll(peer)
		n, err := io.Copy(c, r)
		if n != int64(len(want)) || err != nil {
			t.Errorf("%s: copied %d of %d bytes, %v", what, n, len(want), err)
		}
		if limited, ok := r.(*io.LimitedReader); ok && what != "beyond the end" && limited.N != 0 {
			t.Errorf("%s: %d bytes of the limit are left", what, limited.N)
		}
		if err := c.CloseWrite(); err != nil {
			t.Error(err)
		}
		if all := <-got; !bytes.Equal(all, want) {
			t.Errorf("%s: %d bytes arrived, want %d, or they differ", what, len(all), len(want))
		}
		switch isFile := !strings.HasPrefix(what, "no") && what != "a pipe"; {
		case isFile != (counted.calls > 0):
			t.Errorf("%s: %d calls of ReadFrom below", what, counted.calls)
		case counted.most > piece:
			t.Errorf("%s: a piece of %d bytes", what, counted.most)
		}
	}
}

// pieces counts the calls of ReadFrom, and fails the second one after a few bytes because of a deadline that is taken back.
type pieces struct {
	net.Conn
	calls int
	most  int64
	fail  func() error
}

func (p *pieces) CloseWrite() error { return p.Conn.(*net.TCPConn).CloseWrite() }

func (p *pieces) ReadFrom(r io.Reader) (n int64, err error) {
	if p.calls++; p.calls == 2 && p.fail != nil {
		n, err = io.Copy(p.Conn, io.LimitReader(r, 10))
		_, _ = r.Read(make([]byte, 100)) // read and not written
		return n, errors.Join(err, p.fail())
	}
	n, err = p.Conn.(*net.TCPConn).ReadFrom(r)
	p.most = max(p.most, n)
	return n, err
}

// A deadline that is taken back in the middle of a file loses no byte of it.
func TestAFileGoesOnWhereItWas(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), piece/8)
	f := fileOf(t, text)
	c, peer := loopback(t, time.Hour)
	c.Conn = &pieces{Conn: c.Conn, fail: func() error {
		c.rare.mu.Lock()
		defer c.rare.mu.Unlock()
		c.takeBack()
		return os.ErrDeadlineExceeded
	}}
	got := readAll(peer)
	n, err := c.ReadFrom(f)
	_ = c.Close()
	if all := <-got; err != nil || n != int64(len(text)) || !bytes.Equal(all, text) {
		t.Errorf("copied %d bytes, %v, and %d arrived, want %d; or they differ", n, err, len(all), len(text))
	}
}

func TestWhatTheConnectionBelowHasIsReachable(t *testing.T) {
	c, peer := loopback(t, time.Hour)
	age(c)
	buffers, before := net.Buffers{[]byte("ab"), []byte("cd")}, c.idle()
	if _, err := buffers.WriteTo(c.Unwrap()); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(peer, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	if c.Touch(); c.idle() >= before {
		t.Error("Touch does not store the time")
	}
	_ = c.CloseWrite()
	if n, err := peer.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("after CloseWrite the peer reads %d, %v", n, err)
	}
	below, _ := net.Pipe()
	pipe := New(newDriver(t), below, time.Hour)
	if err := pipe.CloseWrite(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("net.Pipe: %v", err)
	}
}

func TestCallsAllocateNothing(t *testing.T) {
	c := New(newDriver(t), memory{}, time.Hour)
	buf := make([]byte, 64)
	if n := testing.AllocsPerRun(1000, func() {
		_, _ = c.Read(buf)
		_, _ = c.Write(buf)
		c.Touch()
	}); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// memory is a connection whose calls return at once.
type memory struct{ net.Conn }

func (memory) Read(p []byte) (int, error)       { return len(p), nil }
func (memory) Write(p []byte) (int, error)      { return len(p), nil }
func (memory) SetReadDeadline(time.Time) error  { return nil }
func (memory) SetWriteDeadline(time.Time) error { return nil }
func (memory) Close() error                     { return nil }

// pipes is a listener in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// A server of net/http serves a connection as long as it is used, closes it when it is idle, and ends the context of a
// handler that sends nothing for the timeout. So it is with TLS and HTTP/2 as well.
func TestAnHTTPServerClosesIdleConnections(t *testing.T) {
	// The server is of a client on the loopback, for its certificate only.
	certified := httptest.NewUnstartedServer(nil)
	certified.EnableHTTP2 = true
	certified.StartTLS()
	defer certified.Close()
	for name, overTLS := range map[string]bool{"plain": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				below := make(pipes)
				l := Listener(newDriver(t), below, time.Second)
				var waited atomic.Int64
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/slow" {
						start := time.Now()
						<-r.Context().Done()
						waited.Store(int64(time.Since(start)))
					}
					_, _ = io.WriteString(w, r.Proto)
				})}
				if overTLS {
					l = tls.NewListener(l, certified.TLS.Clone())
				}
				go func() { _ = server.Serve(l) }()
				dials, scheme := 0, "http"
				transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					dials++
					client, served := net.Pipe()
					below <- served
					return client, nil
				}}
				if overTLS {
					scheme, transport.TLSClientConfig = "https", certified.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
				}
				get := func(path string) (text []byte, err error) {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://example.com"+path, nil)
					if err != nil {
						t.Fatal(err)
					}
					answer, err := transport.RoundTrip(r)
					if err == nil {
						text, err = io.ReadAll(answer.Body)
						_ = answer.Body.Close()
					}
					return text, err
				}
				for i := range 5 {
					if text, err := get("/"); err != nil || string(text) != "HTTP/1.1" || dials != 1 {
						t.Fatalf("request %d: %q, %d connections, %v", i, text, dials, err)
					}
					time.Sleep(700 * time.Millisecond)
				}
				time.Sleep(time.Second)
				if _, err := get("/"); err != nil || dials != 2 {
					t.Errorf("after a second without bytes: %d connections, %v", dials, err)
				}
				_, err := get("/slow")
				synctest.Wait()
				if took := time.Duration(waited.Load()); err == nil || took < time.Second || took > time.Second+tick {
					t.Errorf("a handler that sends nothing was ended after %v, error %v", took, err)
				}
				transport.CloseIdleConnections()
				_ = server.Close()
			})
		})
	}
}

// Over TLS on the loopback, a server answers by HTTP/2.
func TestTLSOnLoopback(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	server.Listener = Listener(newDriver(t), server.Listener, time.Hour)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	answer, err := server.Client().Get(server.URL)
	if err != nil || answer.ProtoMajor != 2 {
		t.Fatalf("%v, %v", answer, err)
	}
	text, err := io.ReadAll(answer.Body)
	if _ = answer.Body.Close(); string(text) != "hello" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
