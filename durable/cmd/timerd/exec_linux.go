package main

import "syscall"

// dieWithParent has the kernel kill a command when timerd dies.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
