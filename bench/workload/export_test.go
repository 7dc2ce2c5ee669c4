package workload

// Fingerprint returns a hash of the beginning of the script of a workload, for tests in
// other packages.
func Fingerprint(w Workload, seed uint64) uint64 {
	s := w.Script(sizeFor(w), seed)
	return fingerprint(s.Fill(), s.Next(5000, nil))
}
