package auto

// MaxTimers is the limit of Capacity.
const MaxTimers = maxTimers

// Levels is the number of levels.
const Levels = levelCount
