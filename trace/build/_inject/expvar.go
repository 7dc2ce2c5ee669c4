package expvar

import "runtime"

func init() { Publish("timerbench", Func(func() any { return runtime.TimerbenchCount() })) }
