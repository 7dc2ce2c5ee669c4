package workload

// Fingerprint is a hash over the beginning of the script of a workload, for tests
// of packages that make workloads.
func Fingerprint(w Workload, seed uint64) uint64 {
	s := w.Script(sizeFor(w), seed)
	return fingerprint(s.Fill(), s.Next(5000, nil))
}
