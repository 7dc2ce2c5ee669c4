package results

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
	"slices"
	"strings"
	"unicode"

	"github.com/timerbench/timerbench/internal/files"
)

// Write writes r to a results file. If it fails, the file is unchanged.
func Write(path string, r *Run) error {
	if err := files.Write(path, func(w io.Writer) error { return Encode(w, r) }); err != nil {
		return fmt.Errorf("writing results to %w", files.Error(path, "a file", err))
	}
	return nil
}

// Encode writes r as a results file, with a digest of the content.
func Encode(w io.Writer, r *Run) error {
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

func sealed(r *Run) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	content := data[:len(data)-1]
	return append(content, digestKey+digest(content)+`"}`...), nil
}

// checkSeal returns an error if the content of a file does not match its digest.
func checkSeal(data []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return err
	}
	data = compact.Bytes()
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
func ReadFile(path string) (*Run, error) {
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
func Decode(data []byte) (*Run, error) {
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
	var head Header
	if err := unmarshalJSON(data, &head); err != nil {
		return nil, err
	}
	if err := head.check(); err != nil {
		return nil, err
	}
	r := &Run{}
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

// sameProofs returns an error if two exact rows have different proofs, because all rows replayed the same script.
func (c *Cell) sameProofs() error {
	var first *Row
	for i := range c.Rows {
		row := &c.Rows[i]
		switch {
		case row.Coarse:
		case first == nil:
			first = row
		case row.Proof != first.Proof:
			return fmt.Errorf("%s and %s replayed the same, but their proofs differ: %w",
				first.Structure, row.Structure, row.Proof.Check(first.Proof))
		}
	}
	return nil
}

// named reports whether a name is there and fits into a line.
func named(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) })
}

// Validate returns an error if r lacks a name or a proof without which a report could not show it. The digest tells that a
// figure was edited.
func (r *Run) Validate() error {
	for _, c := range r.Cells {
		where := fmt.Sprintf("cell %s, n %d", c.Workload, c.N)
		if !named(c.Workload) || c.N < 1 {
			return fmt.Errorf("cell %q, n %d: want a workload without control characters, and n of at least 1", c.Workload, c.N)
		}
		for _, row := range c.Rows {
			if !named(row.Structure) {
				return fmt.Errorf("%s: a row of the structure %q: want a name without control characters", where, row.Structure)
			}
			if !slices.Contains(roles, row.Role) {
				return fmt.Errorf("%s, %s: role is %q, want one of %q", where, row.Structure, row.Role, roles)
			}
			if err := row.Proof.Check(row.Proof); err != nil {
				return fmt.Errorf("%s, %s: the proof does not hold: %w", where, row.Structure, err)
			}
		}
		if err := c.sameProofs(); err != nil {
			return fmt.Errorf("%s, %w", where, err)
		}
	}
	for _, c := range r.Calls {
		if err := c.Proof.Check(c.Proof); err != nil {
			return fmt.Errorf("longest calls of %q on %q, n %d: the proof does not hold: %w", c.Structure, c.Workload, c.N, err)
		}
	}
	if r.Live == nil {
		return nil
	}
	seen := make(map[string]bool)
	for _, row := range r.Live.Rows {
		where := fmt.Sprintf("live, %s, %d resident", row.Name, row.Resident)
		switch {
		case row.Name == "" || row.Role == "" || row.Resident < 1:
			return fmt.Errorf("%s: want a name, a role and at least 1 resident timer", where)
		case seen[where]:
			return fmt.Errorf("%s: the row is there twice", where)
		}
		seen[where] = true
	}
	return nil
}
