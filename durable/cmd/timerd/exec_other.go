//go:build !unix

package main

import "os/exec"

// group does nothing, because there are no process groups: only the command itself is killed.
func group(*exec.Cmd) {}

func terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
