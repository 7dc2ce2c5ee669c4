// Package stats compares contenders that were measured in the same rounds.
package stats
