package signal

import "os"

// TimerbenchAlone reports whether only one channel is notified of a signal.
func TimerbenchAlone(sig os.Signal) bool {
	handlers.Lock()
	defer handlers.Unlock()
	return handlers.ref[signum(sig)] == 1
}
