// Command kinds uses each kind of timer in a separate function, and then ends in the way that its argument names.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		return
	}
	signals := make(chan os.Signal, 1)
	switch os.Args[1] {
	case "exit":
		for _, use := range []func(){
			afterFunc, stopped, read, unread, abandoned, later, earlier, ticker, sleep, timeout, cancelled,
			deadline, expired, both, stopAfterFire, resetAfterFire, resetUnread, deep,
		} {
			use()
		}
		os.Exit(3)
	case "chdir":
		sleep()
		if err := os.Chdir(os.TempDir()); err != nil {
			panic(err)
		}
		return
	case "many":
		many()
		return
	case "panic":
		sleep()
		panic("on demand")
	case "burst":
		burst()
		return
	case "exec":
		sleep()
		env := os.Environ()
		if err := syscall.Exec("/no/such/program", nil, env); err == nil {
			panic("exec of nothing")
		}
		afterFunc()
		program, err := os.Executable()
		if err == nil {
			err = syscall.Exec(program, []string{program, "chdir"}, env)
		}
		panic(err)
	case "handle":
		signal.Notify(signals, syscall.SIGTERM)
	}
	sleep()
	fmt.Println("ready")
	<-signals
}

// many sets, moves and stops 8,000 timers on many processors, which fit into the ring of one.
func many() {
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 1000 {
				t := time.AfterFunc(time.Hour, func() {})
				if i%100 == 0 {
					runtime.Gosched() // and perhaps go on elsewhere
				}
				t.Reset(3 * time.Hour)
				t.Stop()
			}
		}()
	}
	all.Wait()
}

// burst does 55,000 operations at once: it sets 20,000 timers, stops a half and moves the other half twice. 5,000 fire.
func burst() {
	all := make([]*time.Timer, 20_000)
	for i := range all {
		all[i] = time.AfterFunc(time.Hour, func() {})
	}
	for i, t := range all {
		if i%2 == 0 {
			t.Stop()
			continue
		}
		t.Reset(3 * time.Hour)
		t.Reset([]time.Duration{2 * time.Hour, 10 * time.Millisecond}[i/2%2])
	}
	time.Sleep(200 * time.Millisecond)
}

func afterFunc() {
	done := make(chan struct{})
	time.AfterFunc(10*time.Millisecond, func() { close(done) })
	<-done
}

func stopped() { time.AfterFunc(time.Hour, func() {}).Stop() }

func read() { <-time.NewTimer(10 * time.Millisecond).C }

func unread() { time.NewTimer(time.Hour).Stop() }

func abandoned() {
	ready := make(chan struct{}, 1)
	ready <- struct{}{}
	select {
	case <-time.After(3 * time.Hour):
	case <-ready:
	}
}

func later() {
	t := time.AfterFunc(time.Hour, func() {})
	t.Reset(3 * time.Hour)
	t.Stop()
}

func earlier() {
	t := time.AfterFunc(3*time.Hour, func() {})
	t.Reset(time.Hour)
	t.Stop()
}

func ticker() {
	t := time.NewTicker(200 * time.Millisecond)
	for range 2 {
		<-t.C
	}
	t.Stop()
}

func sleep() { time.Sleep(10 * time.Millisecond) }

func timeout() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	<-ctx.Done()
}

func cancelled() {
	_, cancel := context.WithTimeout(context.Background(), time.Hour)
	cancel()
}

// connected returns a connection whose other end sends nothing.
func connected() net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	return c
}

func deadline() {
	c := connected()
	_ = c.SetReadDeadline(time.Now().Add(time.Hour))
	_ = c.SetReadDeadline(time.Now().Add(3 * time.Hour))
	_ = c.SetReadDeadline(time.Time{})
	_ = c.Close()
}

func expired() {
	c := connected()
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, _ = c.Read(make([]byte, 1))
	_ = c.Close()
}

func both() {
	c := connected()
	_ = c.SetDeadline(time.Now().Add(time.Hour))
	_ = c.Close()
}

func stopAfterFire() {
	done := make(chan struct{})
	t := time.AfterFunc(10*time.Millisecond, func() { close(done) })
	<-done
	t.Stop()
}

func resetAfterFire() {
	done := make(chan struct{}, 2)
	t := time.AfterFunc(10*time.Millisecond, func() { done <- struct{}{} })
	<-done
	t.Reset(time.Hour)
	t.Stop()
}

// deep sets a timer at each depth of a stack, which must grow at some of them.
func deep() {
	for depth := range 300 {
		t := time.AfterFunc(time.Hour, func() {})
		t.Stop()
		done := make(chan struct{})
		go func() {
			descend(depth, t)
			close(done)
		}()
		<-done
		t.Stop()
	}
}

//go:noinline
func descend(depth int, t *time.Timer) {
	if depth > 0 {
		descend(depth-1, t)
		return
	}
	t.Reset(3 * time.Hour)
}

// The runtime keeps a channel timer out of its heap while no goroutine waits for it.
func resetUnread() {
	t := time.NewTimer(time.Hour)
	t.Reset(3 * time.Hour)
	t.Stop()
}
