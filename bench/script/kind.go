package script

import (
	"fmt"
	"slices"
)

// Kind is a kind of operation.
type Kind uint8

// The kinds of operations. Fire is a Pop that returns a timer. Wake is a Pop that finds nothing due. If the clock is
// read once per batch of operations, the last Pop at each tick, which finds nothing, counts as part of fire.
const (
	KindSchedule Kind = iota
	KindCancel
	KindReschedule
	KindFire    // pops at a tick on which something fires
	KindWake    // pops at a tick on which nothing fires
	KindRefused // cancels a timer that is not pending, or reschedules it if At is not 0

	NumKinds = iota // the number of kinds
)

var kindNames = [NumKinds]string{"schedule", "cancel", "reschedule", "fire", "wake", "refused"}

// String returns the name of the kind in results.
func (k Kind) String() string {
	if k >= NumKinds {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// MarshalText returns the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText accepts the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("kind of operation %q: want one of %q", text, kindNames)
	}
	*k = Kind(i)
	return nil
}

// Unit is the unit of the cost of a workload: time per lifecycle, for example.
type Unit string

// The units. A lifecycle is one timer that was scheduled and then fired or was cancelled.
const (
	PerLifecycle  Unit = "lifecycle"
	PerReschedule Unit = "reschedule" // for workloads that only move timers
	PerTick       Unit = "tick"       // for workloads in which few timers fire
	PerOperation  Unit = "operation"  // for traces: a timer scheduled, moved, cancelled or fired, or a wake-up
)
