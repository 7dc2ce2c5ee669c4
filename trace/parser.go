package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// parser parses a payload. After the first error its methods return zeros.
type parser struct {
	rest []byte
	err  error
}

var errNumber = errors.New("a number is cut off or too long")

func (p *parser) uvarint(what string, most uint64) uint64 {
	x, n := binary.Uvarint(p.rest)
	switch {
	case p.err != nil:
		return 0
	case n <= 0:
		p.err = fmt.Errorf("%s: %w", what, errNumber)
		return 0
	case x > most:
		p.err = fmt.Errorf("%s: %d, want at most %d", what, x, most)
		return 0
	}
	p.rest = p.rest[n:]
	return x
}

func (p *parser) varint(what string) int64 {
	x := p.uvarint(what, math.MaxUint64)
	return int64(x>>1) ^ -int64(x&1)
}

func (p *parser) text(what string) string {
	n := p.uvarint(what, math.MaxInt64)
	if p.err == nil && n > uint64(len(p.rest)) {
		p.err = fmt.Errorf("%s: %d bytes of which %d are there", what, n, len(p.rest))
	}
	if p.err != nil {
		return ""
	}
	s := string(p.rest[:n])
	p.rest = p.rest[n:]
	return s
}

// end returns the first error. Bytes that are left are one.
func (p *parser) end() error {
	if p.err == nil && len(p.rest) > 0 {
		p.err = fmt.Errorf("%d bytes too many", len(p.rest))
	}
	return p.err
}
