package timerbench

import "embed"

// Sources holds the source of package trace and of its imports from this module. Package
// trace/build puts it into the programs that it builds.
//
//go:embed internal/pages/*.go internal/target/*.go trace/*.go structures/*.go
var Sources embed.FS
