package trace

import "github.com/klauspost/compress/zstd"

// compressor compresses the operations of a chunk. Package build replaces it by one that needs
// only the standard library.
type compressor = zstd.Encoder

func newCompressor() *compressor {
	// The default level takes three times as long for files that are 3 to 5 %
	// smaller. The options are valid, so there is no error.
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(chunkSize), zstd.WithEncoderCRC(false))
	return enc
}
