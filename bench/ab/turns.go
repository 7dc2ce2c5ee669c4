package ab

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/internal/turns"
)

// turnsFlag makes the command run ask for its turns, by [WaitForTurn]. A turn is one trial
// of one contender and all that comes before it. Only one of two programs works at any
// time then.
const turnsFlag = "--turns"

// WaitForTurn returns what a program that takes part in a session calls before each
// trial. It writes a byte to out and returns when it has read one from in.
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

// player is a program that runs.
type player struct {
	cmd    *exec.Cmd
	give   io.WriteCloser // its standard input
	asks   io.ReadCloser  // its standard output
	stderr bytes.Buffer
	silent bool // it asks for no more turns
	ended  bool
	err    error // with which it has ended
}

func start(ctx context.Context, program string, args []string) (*player, error) {
	const grace = 10 * time.Second
	p := &player{cmd: exec.CommandContext(ctx, program, args...)}
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

// play gives the program so many turns, unless it asks for none, and waits until it asks for another
// one or will ask no more.
func (p *player) play(turns int) {
	if p.silent {
		return
	}
	_, err := p.give.Write(make([]byte, turns))
	if err == nil {
		_, err = io.ReadFull(p.asks, make([]byte, 1))
	}
	p.silent = err != nil
}

// end waits until the program has ended, without giving it more turns. The error holds
// the end of what the program says on standard error.
func (p *player) end() error {
	if p.ended {
		return p.err
	}
	p.ended = true
	_ = p.give.Close()
	_, _ = io.Copy(io.Discard, p.asks)
	if err := p.cmd.Wait(); err != nil {
		said := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		p.err = fmt.Errorf("%s: %w\n%s", p.cmd, err, strings.Join(said[max(0, len(said)-5):], "\n"))
	}
	return p.err
}

// takeTurns lets programs work in turns until none asks for more. Who begins is random
// each time.
func takeTurns(ctx context.Context, random *rand.Rand, players []*player) {
	for _, p := range players {
		p.play(0)
	}
	for left := true; left && ctx.Err() == nil; {
		left = false
		for _, p := range turns.Shuffled(random, players) {
			p.play(1)
			left = left || !p.silent
		}
	}
}
