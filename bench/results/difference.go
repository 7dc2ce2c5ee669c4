package results

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// NotOfMachine are the keys of an [Environment] that may differ between two runs of one build on one machine.
var NotOfMachine = []string{"clock_ns", "clock_step_ns", "machine"}

// Difference describes the first key with different values in two structs, such as
// "seed was 1, is 2". Keys have their names in the file. It returns "" if only ignored keys differ.
func Difference[T any](was, is T, ignore ...string) string {
	a, b := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range a.NumField() {
		key, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		x, y := a.Field(i), b.Field(i)
		list := x.Kind() == reflect.Slice || x.Kind() == reflect.Map
		none := list && x.Len()+y.Len() == 0 // a file does not distinguish an empty list and nil
		switch {
		case slices.Contains(ignore, key), none, reflect.DeepEqual(x.Interface(), y.Interface()):
		case x.Kind() == reflect.Slice:
			return differenceOfLists(key, x, y)
		case x.Kind() == reflect.String:
			return fmt.Sprintf("%s was %q, is %q", key, x, y)
		default:
			return fmt.Sprintf("%s was %v, is %v", key, x, y)
		}
	}
	return ""
}

func differenceOfLists(key string, a, b reflect.Value) string {
	for i := range max(a.Len(), b.Len()) {
		switch {
		case i >= a.Len():
			return fmt.Sprintf("%s has %v, had not", key, b.Index(i))
		case i >= b.Len():
			return fmt.Sprintf("%s had %v, has not", key, a.Index(i))
		case !reflect.DeepEqual(a.Index(i).Interface(), b.Index(i).Interface()):
			return fmt.Sprintf("number %d of %s was %v, is %v", i+1, key, a.Index(i), b.Index(i))
		}
	}
	return key + " differs"
}
