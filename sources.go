package timerbench

import "embed"

// Sources holds the source of package trace and of its imports from this module. Package
// trace/build puts it into the programs that it builds.
//
//go:embed internal/pages/*.go internal/target/*.go trace/*.go structures/*.go structures/shape/*.go structures/quadheap/*.go
//go:embed structures/internal/snapshot/*.go structures/internal/dary/*.go
//go:embed structures/internal/option/*.go structures/internal/clock/*.go
//go:embed structures/internal/slab/*.go structures/internal/slotted/*.go
var Sources embed.FS
