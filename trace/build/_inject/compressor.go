package trace

import "encoding/binary"

// compressor stores operations without compressing them: its zstd frames have raw blocks (RFC
// 8878).
type compressor struct{}

func newCompressor() *compressor { return nil }

// EncodeAll appends a frame that holds src.
func (*compressor) EncodeAll(src, dst []byte) []byte {
	const magic, singleSegmentSize4 = 0xFD2FB528, 0xA0
	const maxBlock = 128 << 10
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = append(dst, singleSegmentSize4)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(src)))
	for {
		block := src[:min(len(src), maxBlock)]
		src = src[len(block):]
		head := uint32(len(block)) << 3
		if len(src) == 0 {
			head |= 1 // the last block
		}
		dst = append(append(dst, byte(head), byte(head>>8), byte(head>>16)), block...)
		if len(src) == 0 {
			return dst
		}
	}
}

// Close does nothing.
func (*compressor) Close() error { return nil }
