package costs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/coverage"
)

// meter reads how many blocks of code the program has run, from the counters that
// go build -cover -covermode=atomic puts into the packages that -coverpkg names.
type meter struct{ buf bytes.Buffer }

// read returns the number of blocks run so far, modulo 1<<32. It costs about 50 µs.
func (m *meter) read() uint32 {
	m.buf.Reset()
	if err := coverage.WriteCounters(&m.buf); err != nil {
		panic(fmt.Sprintf("costs: the program is not built to count blocks: %v", err))
	}
	sum, err := sumCounters(m.buf.Bytes())
	if err != nil {
		panic(fmt.Sprintf("costs: the counters of blocks: %v", err))
	}
	return sum
}

// The layout of counters, as Go's internal/coverage defines it, version 1.
var countersMagic = []byte{0, 'c', 'w', 'm'}

const (
	countersVersion = 1
	fileHeader      = 4 + 4 + 16 + 1 + 1 + 6 // magic, version, hash, flavor, byte order, padding
	flavorAt        = 4 + 4 + 16
	flavorVarint    = 2
	segmentHeader   = 8 + 4 + 4 // functions, length of the strings, length of the arguments
)

var errCutShort = errors.New("they are cut short")

// sumCounters returns the sum of the counters in data, modulo 1<<32.
func sumCounters(data []byte) (sum uint32, err error) {
	if len(data) < fileHeader+segmentHeader {
		return 0, errCutShort
	}
	version := binary.LittleEndian.Uint32(data[4:])
	if !bytes.HasPrefix(data, countersMagic) || version != countersVersion || data[flavorAt] != flavorVarint {
		return 0, fmt.Errorf("they begin with % x, want magic % x, version %d, flavor %d: Go has changed their layout",
			data[:flavorAt+1], countersMagic, countersVersion, flavorVarint)
	}
	data = data[fileHeader:]
	functions := binary.LittleEndian.Uint64(data)
	payload := uint64(segmentHeader) + uint64(binary.LittleEndian.Uint32(data[8:])) + uint64(binary.LittleEndian.Uint32(data[12:]))
	if uint64(len(data)) < payload {
		return 0, errCutShort
	}
	data = data[payload:]
	next := func() uint64 {
		x, size := binary.Uvarint(data)
		if size <= 0 {
			err = errCutShort
			return 0
		}
		data = data[size:]
		return x
	}
	for range functions {
		counters := next()
		next() // the package
		next() // the function
		for range counters {
			sum += uint32(next())
			if err != nil {
				return 0, err
			}
		}
	}
	return sum, err
}
