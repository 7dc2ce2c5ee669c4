// Package browser tests the HTML page of package report in a real browser. It is a module of its own, so
// that what drives the browser is no dependency of anything else.
package browser
