package machine

// PackageTime reports whether a *driver.Driver follows the clock of package time. Package driver sets it, for its own
// packages.
var PackageTime func(driver any) bool
