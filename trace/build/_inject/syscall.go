package syscall

// TimerbenchExec is called before Exec replaces the program, with the environment of the new one. It
// returns the environment to use. TimerbenchExecFailed is called if Exec then fails. They are nil in
// a program that does not record.
var (
	TimerbenchExec       func(env []string) []string
	TimerbenchExecFailed func()
)
