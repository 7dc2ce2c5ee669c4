//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// attributes put a command into a process group of its own, which its children join.
var attributes = &syscall.SysProcAttr{Setpgid: true}

func terminate(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
