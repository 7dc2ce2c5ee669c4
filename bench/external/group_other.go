//go:build !unix

package external

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup kills a command alone: there are no process groups.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
