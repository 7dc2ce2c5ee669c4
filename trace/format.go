package trace

import (
	"encoding/binary"
	"hash/crc32"
)

// magic begins every trace. As in PNG, it has a byte that is not ASCII and both
// kinds of line ends, so that a transfer in text mode shows.
const magic = "\x89TBT\r\n\x1a\n"

// Version is the version of the format. A trace without sites is of version 1.
const Version = 2

// The kinds of sections.
const (
	sectionHeader = 'H'
	sectionChunk  = 'C'
	sectionFooter = 'F'
)

// The lengths of what is before and after the payload of a section.
const (
	sectionHead = 1 + 4 // kind, length of the payload
	sectionTail = 4     // checksum
)

// chunkSize is the length of the operations at which a chunk ends. It is chosen:
// large enough to compress well, small enough to hold several in memory.
const chunkSize = 256 << 10

// maxRaw bounds the length of a chunk's operations. The last operation makes it
// longer than chunkSize. An advance can make it much longer: each timer that fires
// takes up to 5 bytes.
func maxRaw(keysBefore int) int {
	const shortest = 2 // of an operation that adds a key
	return chunkSize + 64 + maxSite + 5*(keysBefore+chunkSize/shortest)
}

// maxSite and maxSites bound the length of a site and the number of sites (chosen).
const (
	maxSite  = 1 << 10
	maxSites = 1 << 12
)

// maxPayload bounds the payload of a chunk. Bytes that do not compress grow a
// little.
func maxPayload(raw int) int { return raw + raw/64 + 256 }

// maxHeader and maxFooter bound the payloads of the other sections.
const (
	maxHeader = maxName + maxDescription + 64
	maxFooter = 16 * binary.MaxVarintLen64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// beginSection appends the head of a section. The caller appends the payload.
func beginSection(b []byte, kind byte) []byte { return append(b, kind, 0, 0, 0, 0) }

// endSection completes the section that begins at start.
func endSection(b []byte, start int) []byte {
	binary.LittleEndian.PutUint32(b[start+1:], uint32(len(b)-start-sectionHead))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}
