package main

import "syscall"

// The kernel kills a command when timerd dies.
func init() { attributes.Pdeathsig = syscall.SIGKILL }
