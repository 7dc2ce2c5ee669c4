package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/timerbench/timerbench/durable"
)

// identity is what a client shows to the server, and what an embedded server asks for.
type identity struct {
	user, password, token string
	cert, key, ca         string // files
}

func (i *identity) flags(flags *pflag.FlagSet) {
	flags.StringVar(&i.user, "user", "", "the `name` that clients show to the server, or $NATS_USER")
	flags.StringVar(&i.password, "password", "",
		"the `password` of the user, or $NATS_PASSWORD, which other users of the machine do not see")
	flags.StringVar(&i.token, "token", "",
		"the `token` that clients show to the server, or $NATS_TOKEN")
	flags.StringVar(&i.cert, "tlscert", "", "`file` with the certificate of this process, server or client")
	flags.StringVar(&i.key, "tlskey", "", "`file` with the key of the certificate")
	flags.StringVar(&i.ca, "tlsca", "",
		"`file` with who vouches for the certificates of others; an embedded server then asks its clients for one")
}

// complete fills in what the environment says, and checks that nothing is half there.
func (i *identity) complete() error {
	i.user = cmp.Or(i.user, os.Getenv("NATS_USER"))
	i.password = cmp.Or(i.password, os.Getenv("NATS_PASSWORD"))
	i.token = cmp.Or(i.token, os.Getenv("NATS_TOKEN"))
	switch {
	case (i.user == "") != (i.password == ""):
		return errors.New("--user and --password: want both or none")
	case i.user != "" && i.token != "":
		return errors.New("--user and --token: want one or none")
	case (i.cert == "") != (i.key == ""):
		return errors.New("--tlscert and --tlskey: want both or none")
	}
	return nil
}

func (i *identity) client() ([]nats.Option, error) {
	if err := i.complete(); err != nil {
		return nil, err
	}
	options := []nats.Option{nats.Name("timerd"), nats.MaxReconnects(-1)}
	if i.user != "" {
		options = append(options, nats.UserInfo(i.user, i.password))
	}
	if i.token != "" {
		options = append(options, nats.Token(i.token))
	}
	if i.cert != "" {
		options = append(options, nats.ClientCert(i.cert, i.key))
	}
	if i.ca != "" {
		options = append(options, nats.RootCAs(i.ca))
	}
	return options, nil
}

func (i *identity) server() (options []durable.ServerOption, err error) {
	if err := i.complete(); err != nil {
		return nil, err
	}
	if i.user != "" {
		options = append(options, durable.Password(i.user, i.password))
	}
	if i.token != "" {
		options = append(options, durable.Token(i.token))
	}
	if i.cert == "" {
		if i.ca != "" {
			err = errors.New("--tlsca: an embedded server wants --tlscert and --tlskey as well")
		}
		return options, err
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
			err = errors.New("there is no certificate in it")
		}
		if err != nil {
			return nil, fmt.Errorf("--tlsca %s: %w", i.ca, err)
		}
	}
	return append(options, durable.TLS(config)), nil
}
