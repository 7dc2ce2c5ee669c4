package idleconn

import (
	"io"
	"io/fs"
	"math"
	"syscall"
)

// file is an *os.File, also as io.Copy passes it on.
type file interface {
	io.ReadSeeker
	syscall.Conn
	Stat() (fs.FileInfo, error)
}

// piece is the number of bytes of a file after which ReadFrom stores the time.
const piece = 256 << 10

// ReadFrom writes all that r has. A file goes to ReadFrom of the wrapped connection, which uses sendfile for TCP, in
// pieces of 256 KiB. Anything else is read and written, because what r waits for is not to end the connection.
func (c *Conn) ReadFrom(r io.Reader) (n int64, err error) {
	to, ok := c.Conn.(io.ReaderFrom)
	if c.side()&writes == 0 && ok {
		return to.ReadFrom(r)
	}
	limited, isLimited := r.(*io.LimitedReader)
	if !isLimited {
		limited = &io.LimitedReader{R: r, N: math.MaxInt64}
	}
	f, isFile := limited.R.(file)
	if ok && isFile {
		if about, err := f.Stat(); err == nil && about.Mode().IsRegular() {
			return c.sendFile(to, f, limited)
		}
	}
	return io.Copy(struct{ io.Writer }{c}, r)
}

// sendFile writes a file from its position on, at most l.N bytes.
func (c *Conn) sendFile(to io.ReaderFrom, f file, l *io.LimitedReader) (n int64, err error) {
	c.rare.writing.Lock()
	defer c.wrote()
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	state := c.state.Load()
	for part := (&io.LimitedReader{R: f}); l.N > 0; {
		want := min(l.N, piece)
		part.N = want
		written, err := to.ReadFrom(part)
		n, at, l.N = n+written, at+written, l.N-written
		if written > 0 {
			c.Touch()
		}
		switch {
		case err == nil && written < want:
			return n, nil // the end of the file
		case err == nil:
		case !c.retry(err, &state):
			return n, err
		default:
			// A copy may have read more than it could write.
			if _, err := f.Seek(at, io.SeekStart); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}
