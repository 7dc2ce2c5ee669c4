package timerbench

import "embed"

// Sources holds the source of package trace and of its import from this module. Package
// trace/build puts it into the programs that it builds.
//
//go:embed trace/*.go structures/*.go
var Sources embed.FS
