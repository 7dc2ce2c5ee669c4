package records

import "math"

// Where is the place of the timer of a record. The lowest four bits are a tag:
//
//	0-13      a place in a chunk of a wheel; the number of the chunk is above
//	Nowhere   in no slot and no list of many; in a list if there is anything above
//	InBuffer  in the arrival buffer of a wheel; the position is above. InRun: in a run; the record may be free
type Where uint32

// The tags.
const (
	TagBits = 4
	TagMask = 1<<TagBits - 1

	Places         = 14 // in a chunk
	Nowhere  Where = Places
	InBuffer Where = TagMask
	InRun    Where = math.MaxUint32
)

// Tag returns the tag, which is the place if the timer is in a chunk.
func (w Where) Tag() Where { return w & TagMask }

// InSlot reports whether the timer is in a chunk of a wheel.
func (w Where) InSlot() bool { return w.Tag() < Places }

// InList reports whether the record is in a list. It may be free.
func (w Where) InList() bool { return w.Tag() == Nowhere && w != Nowhere }

// mayBeFree reports whether a free record may have the place.
func (w Where) mayBeFree() bool { return w.Tag() == Nowhere || w == InRun }
