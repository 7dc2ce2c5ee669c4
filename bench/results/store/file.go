// Package store writes, reads and finds results files, and the folders of runs. It also writes the trials in the format of
// Go's benchmarks.
package store

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/files"
)

// Write writes r to a results file. If it fails, the file is unchanged.
func Write(path string, r *results.Run) error {
	if err := files.Write(path, func(w io.Writer) error { return Encode(w, r) }); err != nil {
		return fmt.Errorf("writing results to %w", files.Error(path, "a file", err))
	}
	return nil
}

// Encode writes r as a results file, with a digest of the content.
func Encode(w io.Writer, r *results.Run) error {
	data, err := sealed(r)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	if err := json.Indent(&lines, data, "", " "); err != nil {
		return err
	}
	lines.WriteByte('\n')
	_, err = lines.WriteTo(w)
	return err
}

// digestKey is the last key of a results file. Its value is the digest of the compact form
// of the content before the key.
const digestKey = `,"digest":"`

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func sealed(r *results.Run) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	content := data[:len(data)-1]
	return append(content, digestKey+digest(content)+`"}`...), nil
}

// compact returns JSON without white space between tokens. json.Compact, which also checks the syntax, takes several times as long.
func compact(valid []byte) []byte {
	out := make([]byte, 0, len(valid))
	inString, escaped := false, false
	for _, c := range valid {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			continue
		}
		out = append(out, c)
	}
	return out
}

// checkSeal returns an error if the content of a file, which is valid JSON, does not match its digest.
func checkSeal(data []byte) error {
	data = compact(data)
	at := bytes.LastIndex(data, []byte(digestKey))
	switch {
	case at < 0:
		return errors.New("it has no digest as its last key: it was edited, or another program " +
			"wrote it; want the file as timerbench wrote it")
	case string(data[at:]) != digestKey+digest(data[:at])+`"}`:
		return errors.New("its content does not fit its digest: it was edited or damaged; " +
			"want the file as timerbench wrote it")
	}
	return nil
}

// ReadFile reads a results file, which may be compressed with gzip. The error distinguishes a file that is
// damaged, cut short, edited, of another program or of another version.
func ReadFile(path string) (*results.Run, error) {
	data, err := files.ReadFile(path, wanted, mostText)
	if err != nil {
		return nil, err
	}
	r, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// mostText and mostObjects bound the memory for a results file: small compressed files can have very many objects. The
// largest run of the suite has 40 MB and 120,000 objects.
const mostText, mostObjects = 128 << 20, 1_000_000

// Decode decodes the content of a results file. It returns the same errors as Read. It needs at most about 1 GB.
func Decode(data []byte) (*results.Run, error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = files.ReadAll(z, mostText)
		}
		if err != nil {
			return nil, fmt.Errorf("the compressed results are cut short or damaged: %w", err)
		}
	}
	data, err := files.Text(data)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("null")); n > mostObjects {
		return nil, fmt.Errorf("it has %d objects, want at most %d", n, mostObjects)
	}
	var head Header // its end is soon reached; only the whole tells what is wrong with it
	if head.Decode(json.NewDecoder(bytes.NewReader(data))) != nil || head.check() != nil {
		if err := unmarshalJSON(data, &head); err != nil {
			return nil, err
		}
		if err := head.check(); err != nil {
			return nil, err
		}
	}
	r := &results.Run{}
	if err := unmarshalJSON(data, r); err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return r, checkSeal(data)
}

// unmarshalJSON is json.Unmarshal with the line in errors. The errors distinguish a
// damaged file from a file that is cut short.
func unmarshalJSON(data []byte, into any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the file is empty, want " + wanted)
	}
	line := func(offset int64) int {
		return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
	}
	err := json.Unmarshal(data, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)),
		errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file is cut short at line %d: %w", line(int64(len(data))), err)
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d is not JSON, want %s: %w", line(syntax.Offset), wanted, err)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %s is a JSON %s, which does not fit",
			line(kind.Offset), cmp.Or(kind.Field, "the content"), kind.Value)
	}
	return err
}
