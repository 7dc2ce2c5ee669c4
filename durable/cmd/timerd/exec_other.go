//go:build !unix

package main

import (
	"os/exec"
	"syscall"
)

// attributes are empty, because there are no process groups: only the command itself is killed.
var attributes *syscall.SysProcAttr

func terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
