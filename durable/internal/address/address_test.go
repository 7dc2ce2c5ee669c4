package address

import "testing"

func TestRedact(t *testing.T) {
	for url, want := range map[string]string{
		"nats://user:pass@host:4222":             "nats://***@host:4222",
		"nats://token@a:1,nats://u:p@b:2":        "nats://***@a:1,nats://***@b:2",
		"user:p/a@ss@host":                       "***@host",
		"tls://host:4222,nats://other":           "tls://host:4222,nats://other",
		"nats://@host":                           "nats://@host",
		"":                                       "",
		"@//":                                    "@//",
		"nats://u:p a%zz@host:4222/,127.0.0.1:1": "nats://***@host:4222/,127.0.0.1:1",
	} {
		if got := Redact(url, url); got != want {
			t.Errorf("Redact(%q) = %q, want %q", url, got, want)
		}
	}
}
