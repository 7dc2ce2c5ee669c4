// Package doctest tests the documents against the program: links, commands, tables and figures; imports between packages;
// and the size of the code. It has tests only.
package doctest
