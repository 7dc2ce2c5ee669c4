package compare

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// turnsFlag makes timerbench run ask for its turns with [WaitForTurn]. A turn is one trial
// of one contender and everything before it. Only one of the two programs works at a time.
const turnsFlag = "--turns"

// WaitForTurn returns a function that a program of a session calls before each trial. The
// function writes a byte to out and returns after it has read a byte from in.
func WaitForTurn(in io.Reader, out io.Writer) func() error {
	var b [1]byte
	return func() error {
		if _, err := out.Write(b[:]); err != nil {
			return fmt.Errorf("asking for a turn: %w", err)
		}
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return fmt.Errorf("waiting for a turn: %w", err)
		}
		return nil
	}
}

type child struct {
	cmd    *exec.Cmd
	give   io.WriteCloser // its standard input
	asks   io.ReadCloser  // its standard output
	stderr bytes.Buffer
	silent bool         // asks for no more turns
	end    func() error // what wait returns, again and again
}

func start(ctx context.Context, program string, args []string) (*child, error) {
	const grace = 10 * time.Second
	p := &child{cmd: exec.CommandContext(ctx, program, args...)}
	p.end = sync.OnceValue(p.wait)
	p.cmd.Stderr = &p.stderr
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	p.cmd.WaitDelay = grace
	var err error
	if p.give, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.asks, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// play gives the program a number of turns and waits until it asks for another one or
// stops asking. play does nothing for a program that has stopped asking.
func (p *child) play(turns int) {
	if p.silent {
		return
	}
	_, err := p.give.Write(make([]byte, turns))
	if err == nil {
		_, err = io.ReadFull(p.asks, make([]byte, 1))
	}
	p.silent = err != nil
}

// wait waits for the program to end, without giving it more turns. The error contains the
// last lines of the program's standard error.
func (p *child) wait() error {
	_ = p.give.Close()
	_, _ = io.Copy(io.Discard, p.asks)
	err := p.cmd.Wait()
	if err != nil {
		said := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		err = fmt.Errorf("%s: %w\n%s", p.cmd, err, strings.Join(said[max(0, len(said)-5):], "\n"))
	}
	return err
}
