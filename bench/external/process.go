package external

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Time limits (chosen). Java compiles itself before it sends its hello.
const (
	helloTime = 90 * time.Second
	endTime   = time.Second            // from the end of its input to the end of a program
	lastTime  = 100 * time.Millisecond // for what an ended program has left in a pipe
	perOp     = 100 * time.Microsecond // of a list that is searched, on a shared machine
)

// requestTime is the time limit of a request, in addition to perOp for each operation. Tests shorten it.
var requestTime = 10 * time.Second

// mostSaid is how many bytes a program may write to standard error during one request (chosen).
const mostSaid = 4 << 20

// process is a running program and the runner's ends of its pipes.
type process struct {
	cmd     *exec.Cmd
	in      *os.File // its standard input
	out     *os.File // its standard output
	said    *os.File // its standard error, which copied reads
	stderr  tail
	copied  chan struct{} // closed at the end of standard error
	exited  chan struct{} // closed when the program has ended; a child may still hold its pipes
	started time.Time
	killed  sync.Once
}

// start starts a program with files as descriptors 3, 4, ... and reads its hello. The program gets
// a process group of its own, so that its children end with it.
func start(ctx context.Context, s Spec, files ...*os.File) (*process, About, error) {
	p := &process{
		cmd:    exec.CommandContext(ctx, s.Args[0], s.Args[1:]...),
		copied: make(chan struct{}), exited: make(chan struct{}), started: time.Now(),
	}
	p.cmd.ExtraFiles = files
	ownGroup(p.cmd)
	p.cmd.Cancel = func() error {
		_ = p.out.Close() // ends a read
		return killGroup(p.cmd)
	}
	theirs, err := p.connect()
	if err == nil {
		err = p.cmd.Start()
	}
	closeAll(theirs...)
	if err != nil {
		closeAll(p.in, p.out, p.said)
		return nil, About{}, err
	}
	p.stderr.flood = func() { _ = p.out.Close() }
	go func() {
		defer close(p.copied)
		_, _ = io.Copy(&p.stderr, p.said)
	}()
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
		_ = p.out.SetReadDeadline(time.Now().Add(lastTime))
	}()
	var a About
	hello, err := p.read(helloSize, cmp.Or(s.HelloTime, helloTime))
	if err == nil {
		a, err = decodeHello(hello)
	}
	if err != nil {
		p.kill()
		return nil, About{}, err
	}
	return p, a, nil
}

func (p *process) connect() (theirs []*os.File, err error) {
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	stdin, in := pipe()
	out, stdout := pipe()
	said, stderr := pipe()
	p.in, p.out, p.said = in, out, said
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
	}
	return []*os.File{stdin, stdout, stderr}, err
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // nil: an error, and nothing else
	}
}

// ask sends a request and returns the answer, which must arrive within the time limit.
func (p *process) ask(m message, within time.Duration) (answer, error) {
	p.stderr.mu.Lock()
	p.stderr.bytes = 0
	p.stderr.mu.Unlock()
	_ = p.in.SetWriteDeadline(time.Now().Add(within))
	if err := binary.Write(p.in, binary.LittleEndian, m); err != nil {
		return answer{}, p.gone(err)
	}
	b, err := p.read(answerSize, within)
	if err != nil {
		return answer{}, err
	}
	var a answer
	if _, err := binary.Decode(b, binary.LittleEndian, &a); err != nil || a.Magic != answerMagic || a.Kind != m.Kind {
		return a, fmt.Errorf("it wrote %q where the answer to request %d was expected, see docs/external.md", printable(b[:32]), m.Kind)
	}
	return a, nil
}

// errHangs and errFloods are the faults after which a program is not started again.
var (
	errHangs  = errors.New("it hangs")
	errFloods = errors.New("it floods standard error")
)

// read reads size bytes within a time limit. It kills a program that takes longer.
func (p *process) read(size int, within time.Duration) ([]byte, error) {
	_ = p.out.SetReadDeadline(time.Now().Add(within))
	ended := func() bool {
		select {
		case <-p.exited:
			return true
		default:
			return false
		}
	}
	if ended() {
		_ = p.out.SetReadDeadline(time.Now().Add(lastTime))
	}
	b := make([]byte, size)
	n, err := io.ReadFull(p.out, b)
	switch {
	case err == nil:
		return b, nil
	case p.stderr.flooded.Load():
		p.end()
		return nil, fmt.Errorf("%w: more than %d MB during one request, the last of it %q", errFloods, mostSaid>>20, p.stderr.String())
	case errors.Is(err, os.ErrDeadlineExceeded) && !ended():
		p.end()
		return nil, fmt.Errorf("%w: no answer within %s%s", errHangs, within.Round(time.Second/10), p.quoted())
	case n > 0:
		return nil, p.gone(fmt.Errorf("it wrote %q, and no more", printable(b[:n])))
	}
	return nil, p.gone(err)
}

func (p *process) gone(err error) error {
	p.kill()
	how := "it has ended"
	if s := p.cmd.ProcessState; s != nil {
		how += " (" + s.String() + ")"
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
		how += ": " + err.Error()
	}
	return errors.New(how + p.quoted())
}

// quoted is what the program last wrote to standard error, to be appended to a message.
func (p *process) quoted() string {
	if said := p.stderr.String(); said != "" {
		return "; it said: " + said
	}
	return ""
}

// kill ends the program and what is left of its process group. It waits for endTime first, because
// a program ends by itself at the end of its input.
func (p *process) kill() {
	p.killed.Do(func() {
		closeAll(p.in, p.out)
		timer := time.AfterFunc(endTime, func() { _ = killGroup(p.cmd) })
		<-p.exited
		timer.Stop()
		_ = killGroup(p.cmd) // its children
		select {
		case <-p.copied:
		case <-time.After(lastTime): // another process holds the pipe
		}
		_ = p.said.Close()
	})
}

// end is kill without waiting.
func (p *process) end() {
	_ = killGroup(p.cmd)
	p.kill()
}

// tail keeps the end of standard error. It calls flood after more than mostSaid bytes during one request.
type tail struct {
	mu      sync.Mutex
	end     []byte
	bytes   int // during this request
	flood   func()
	flooded atomic.Bool
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 400
	t.mu.Lock()
	defer t.mu.Unlock()
	last := b[max(0, len(b)-most):]
	t.end = append(t.end[max(0, len(t.end)+len(last)-most):], last...)
	if t.bytes += len(b); t.bytes > mostSaid && !t.flooded.Swap(true) {
		t.flood()
	}
	return len(b), nil
}

// String returns the end of standard error in one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(bytes.ToValidUTF8(t.end, []byte("?")))), " ")
}
