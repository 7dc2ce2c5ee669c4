package main

import (
	"bytes"
	"context"
	"encoding/base64"
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

// afterGrace is what a handler has beyond the time of its command and the grace.
const afterGrace = time.Second

// run runs the command for f. It goes on when ctx ends, but for the grace.
func (c *commands) run(ctx context.Context, f durable.Fired) error {
	timeout, grace := c.timeout, c.grace
	if end, ok := ctx.Deadline(); ok { // that of a timer with a limit of its own may be short
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
	cmd.WaitDelay = max(grace, time.Millisecond) // 0 would be without end
	group(cmd)
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
		_ = kill(cmd) // its children, if there are any
		err = fmt.Errorf("ended by timerd after %v or %v of grace: %w",
			timeout, grace, errors.Join(own.Err(), err))
	}
	// ErrWaitDelay: it has returned 0, and left children behind.
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("command: %w: %s", err, out)
	}
	return nil
}

func (c *commands) killAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cmd := range c.running {
		_ = kill(cmd) // it may be over
	}
}

// isSecret reports whether a variable of timerd is not for its commands.
func isSecret(variable string) bool {
	return strings.HasPrefix(variable, "NATS_PASSWORD=") || strings.HasPrefix(variable, "NATS_TOKEN=")
}

// head keeps the first bytes that are written to it.
type head []byte

const maxHead = 500

// Write takes all of p, and keeps what there is room for.
func (h *head) Write(p []byte) (int, error) {
	*h = append(*h, p[:min(len(p), maxHead-len(*h))]...)
	return len(p), nil
}

// maxVariable is the longest payload that is a variable: Linux refuses 128 kB.
const maxVariable = 64 << 10

// environment returns the variables for f. A variable cannot have a NUL byte.
func environment(f durable.Fired) []string {
	list := []string{"TIMER_ATTEMPT=" + strconv.Itoa(f.Attempt)}
	set := func(name, value string) {
		if strings.IndexByte(value, 0) >= 0 {
			name, value = name+"_BASE64", base64.StdEncoding.EncodeToString([]byte(value))
		}
		list = append(list, name+"="+value)
	}
	set("TIMER_KEY", f.Key)
	set("TIMER_ID", f.ID)
	if len(f.Payload) <= maxVariable && bytes.IndexByte(f.Payload, 0) < 0 {
		set("TIMER_PAYLOAD", string(f.Payload))
	}
	return list
}
