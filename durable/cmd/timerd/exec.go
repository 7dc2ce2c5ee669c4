package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/timerbench/timerbench/durable"
)

type commands struct {
	text           string
	timeout, grace time.Duration

	mu      sync.Mutex
	running map[*exec.Cmd]struct{}
}

// longest limits --timeout and --grace, so that their sums are exact.
const longest = 10 * 365 * 24 * time.Hour

// afterGrace is how much longer a handler has than the timeout and the grace of its command.
const afterGrace = time.Second

// run runs the command for f. If ctx ends, the command has the grace to exit.
func (c *commands) run(ctx context.Context, f durable.Fired) error {
	timeout, grace := c.timeout, c.grace
	if end, ok := ctx.Deadline(); ok { // a timer with a timeout of its own may leave less
		left := time.Until(end).Round(time.Millisecond)
		timeout = max(left-c.grace-afterGrace, left/2)
		grace = min(grace, left-timeout)
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		defer time.AfterFunc(c.grace, cancel).Stop()
		<-own.Done()
	})()
	cmd := exec.CommandContext(own, "sh", "-c", c.text)
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), isSecret), environment(f)...)
	cmd.Stdin = bytes.NewReader(f.Payload)
	var out head
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = max(grace, time.Millisecond) // 0 would mean no limit
	cmd.SysProcAttr = attributes
	cmd.Cancel = func() error {
		if ctx.Err() != nil {
			return kill(cmd)
		}
		return terminate(cmd)
	}
	c.mu.Lock()
	err := cmd.Start()
	if err == nil {
		if c.running == nil {
			c.running = make(map[*exec.Cmd]struct{})
		}
		c.running[cmd] = struct{}{}
	}
	c.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
		c.mu.Lock()
		delete(c.running, cmd)
		c.mu.Unlock()
	}
	if own.Err() != nil {
		_ = kill(cmd) // its children, if any
		err = fmt.Errorf("ended by timerd after %v, or %v of grace: %w", timeout, grace, errors.Join(own.Err(), err))
	}
	// ErrWaitDelay: the command exited with 0, and left children behind.
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("command: %w: %s", err, out)
	}
	return nil
}

func (c *commands) killAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cmd := range c.running {
		_ = kill(cmd) // it may have exited
	}
}

// isSecret reports whether a variable of the environment is withheld from commands.
func isSecret(variable string) bool {
	return strings.HasPrefix(variable, "NATS_PASSWORD=") || strings.HasPrefix(variable, "NATS_TOKEN=")
}

// head is a writer that keeps the first maxHead bytes.
type head []byte

const maxHead = 500

// Write keeps as much of p as there is room for. It never fails.
func (h *head) Write(p []byte) (int, error) {
	*h = append(*h, p[:min(len(p), maxHead-len(*h))]...)
	return len(p), nil
}

// maxVariable is the length of the longest payload passed as a variable. Linux limits a variable to 128 kB.
const maxVariable = 64 << 10

// environment returns the variables for f. A variable cannot contain a NUL byte.
func environment(f durable.Fired) []string {
	list := []string{"TIMER_ATTEMPT=" + strconv.Itoa(f.Attempt)}
	if strings.IndexByte(f.Key, 0) < 0 {
		list = append(list, "TIMER_KEY="+f.Key, "TIMER_ID="+f.ID)
	}
	if len(f.Payload) <= maxVariable && bytes.IndexByte(f.Payload, 0) < 0 {
		list = append(list, "TIMER_PAYLOAD="+string(f.Payload))
	}
	return list
}
