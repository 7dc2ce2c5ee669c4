package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/durable"
)

// identity is how a client authenticates itself, and what an embedded server asks for.
type identity struct {
	user, password, token string // of the environment, which is hidden from other users of the machine
	cert, key, ca         string // files
}

func (i *identity) flags(flags *pflag.FlagSet) {
	flags.StringVar(&i.cert, "tlscert", "", "`file` with the certificate of this server or client")
	flags.StringVar(&i.key, "tlskey", "", "`file` with the private key of the certificate")
	flags.StringVar(&i.ca, "tlsca", "",
		"`file` with the certificate authorities to trust; an embedded server then requires client certificates")
}

// complete reads the environment, and rejects an identity that is incomplete or ambiguous.
func (i *identity) complete() error {
	i.user, i.password, i.token = os.Getenv("NATS_USER"), os.Getenv("NATS_PASSWORD"), os.Getenv("NATS_TOKEN")
	switch {
	case (i.user == "") != (i.password == ""):
		return errors.New("NATS_USER and NATS_PASSWORD: want both or none")
	case i.user != "" && i.token != "":
		return errors.New("NATS_USER and NATS_TOKEN: want one or none")
	case (i.cert == "") != (i.key == ""):
		return errors.New("--tlscert and --tlskey: want both or none")
	}
	return nil
}

func (i *identity) client() []nats.Option {
	// Pings notice a node that is cut off. By default that takes minutes.
	options := []nats.Option{nats.Name("timerd"), nats.MaxReconnects(-1), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
		nats.UserInfo(i.user, i.password), nats.Token(i.token)}
	if i.cert != "" {
		options = append(options, nats.ClientCert(i.cert, i.key))
	}
	if i.ca != "" {
		options = append(options, nats.RootCAs(i.ca))
	}
	return options
}

func (i *identity) server() (options []durable.ServerOption, err error) {
	if i.user != "" {
		options = append(options, durable.Password(i.user, i.password))
	}
	if i.token != "" {
		options = append(options, durable.Token(i.token))
	}
	if i.cert == "" {
		return options, nil
	}
	pair, err := tls.LoadX509KeyPair(i.cert, i.key)
	if err != nil {
		return nil, fmt.Errorf("--tlscert %s, --tlskey %s: %w", i.cert, i.key, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if i.ca != "" {
		text, err := os.ReadFile(i.ca)
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if err == nil && !config.ClientCAs.AppendCertsFromPEM(text) {
			err = errors.New("the file contains no certificate")
		}
		if err != nil {
			return nil, fmt.Errorf("--tlsca %s: %w", i.ca, err)
		}
	}
	return append(options, durable.TLS(config)), nil
}
