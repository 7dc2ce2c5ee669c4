// Package address hides the secrets in addresses that are printed.
package address

import "strings"

// Redact returns text without the user names, passwords and tokens of urls, which are separated
// by commas: nats://***@host:4222.
func Redact(text, urls string) string {
	for url := range strings.SplitSeq(urls, ",") {
		at := strings.LastIndexByte(url, '@') + 1
		begin := strings.Index(url[:at], "//")
		if begin++; begin > 0 {
			begin++
		}
		if secret := url[begin:at]; len(secret) > 1 {
			text = strings.ReplaceAll(text, secret, "***@")
		}
	}
	return text
}
