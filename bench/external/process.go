package external

import (
	"bytes"
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

// Times within which a program has to answer (chosen): Java compiles itself before it says hello.
const (
	helloTime = 90 * time.Second
	perOp     = 100 * time.Microsecond // where a list is searched, on a machine that others use too
)

// requestTime is for a request, besides the operations of a block. Tests wait less.
var requestTime = 10 * time.Second

// process is a program that runs, and its side of the pipes.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr tail
	ended  sync.Once
}

// start starts a program, which has files as descriptors from 3 on, and reads what it says of itself.
func start(ctx context.Context, args []string, files ...*os.File) (p *process, a About, err error) {
	p = &process{cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	p.cmd.ExtraFiles = files
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // a child of it may hold the pipes
	p.in, err = p.cmd.StdinPipe()
	if err == nil {
		p.out, err = p.cmd.StdoutPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, a, err
	}
	hello, err := p.read(helloSize, helloTime)
	if err == nil {
		a, err = decodeHello(hello)
	}
	if err != nil {
		p.kill()
		return nil, a, err
	}
	return p, a, nil
}

// ask sends a request and returns the answer, which must come within a time.
func (p *process) ask(m message, within time.Duration) (answer, error) {
	if err := binary.Write(p.in, binary.LittleEndian, m); err != nil {
		return answer{}, p.gone(err)
	}
	b, err := p.read(answerSize, within)
	if err != nil {
		return answer{}, err
	}
	return decodeAnswer(b, m.Kind)
}

// errHangs says that a program did not answer in time. It is not started again.
var errHangs = errors.New("it hangs")

// read reads so many bytes, within a time. A program that takes longer is killed, since a pipe has
// no other way to say that nobody waits any more.
func (p *process) read(size int, within time.Duration) ([]byte, error) {
	var hangs atomic.Bool
	timer := time.AfterFunc(within, func() { hangs.Store(true); _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	b := make([]byte, size)
	n, err := io.ReadFull(p.out, b)
	switch {
	case err == nil:
		return b, nil
	case hangs.Load():
		return nil, fmt.Errorf("%w: no answer within %s", errHangs, within.Round(time.Second))
	case n > 0:
		return nil, p.gone(fmt.Errorf("it wrote %q, and no more", printable(b[:n])))
	}
	return nil, p.gone(err)
}

// gone says how a program has ended that does not answer.
func (p *process) gone(err error) error {
	p.kill()
	how := "it has ended"
	if s := p.cmd.ProcessState; s != nil {
		how += " (" + s.String() + ")"
	}
	if !errors.Is(err, io.EOF) {
		how += ": " + err.Error()
	}
	if said := p.stderr.String(); said != "" {
		how += "; it said: " + said
	}
	return errors.New(how)
}

// kill ends the program, if it does not end by itself.
func (p *process) kill() {
	p.ended.Do(func() {
		_ = p.in.Close() // the program ends when it reads the end
		timer := time.AfterFunc(time.Second, func() { _ = p.cmd.Process.Kill() })
		_, _ = io.Copy(io.Discard, p.out)
		_ = p.cmd.Wait()
		timer.Stop()
	})
}

// tail keeps the end of what a program says on standard error, in one line.
type tail struct {
	sync.Mutex
	end []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 400
	t.Lock()
	defer t.Unlock()
	t.end = append(t.end, b...)
	t.end = t.end[max(0, len(t.end)-most):]
	return len(b), nil
}

func (t *tail) String() string {
	t.Lock()
	defer t.Unlock()
	return strings.Join(strings.Fields(string(bytes.ToValidUTF8(t.end, []byte("?")))), " ")
}
