// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/fetch"
	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
)

// Connection is how to reach an S3 server. Printed in any way, it shows no secret, and of the
// access key its end.
type Connection struct {
	// Endpoint is the URL of the server, such as https://s3.example.com:9000.
	Endpoint string
	// Region is what requests are signed for; "" is us-east-1, which servers other than Amazon's
	// go by unless they are told another.
	Region string
	// PathStyle puts the name of a bucket into the path (true) or the host's name (false) of
	// URLs; nil does as the server is known to want.
	PathStyle *bool
	AccessKey string `json:"-"`
	SecretKey string `json:"-"`
	// SessionToken goes with access keys that are lent for a time; "" for others.
	SessionToken string `json:"-"`
	// CABundle are certificates in PEM of authorities to trust beside the machine's own.
	CABundle []byte `json:"-"`
	// Backend is "minio" or another kind of server; "" finds out from what it answers.
	Backend string
	// RequestTimeout bounds one request, 30 s where it is 0; Patience bounds one with its
	// repetitions, 2 min where it is 0.
	RequestTimeout, Patience time.Duration
}

// DefaultRegion is what requests are signed for where no region is given.
const DefaultRegion = "us-east-1"

const (
	defaultRequestTimeout = 30 * time.Second
	defaultPatience       = 2 * time.Minute
)

// String names the endpoint and who connects; secrets only by whether they are there.
func (c Connection) String() string {
	hidden := func(secret string) string {
		if secret == "" {
			return none
		}
		return redact.Hidden
	}
	return fmt.Sprintf("%s with %s (secret key %s, session token %s)", c.host(), c.key(), hidden(c.SecretKey), hidden(c.SessionToken))
}

// key names the access key by its end: whole, it may be a value that a configuration hides.
func (c Connection) key() string {
	const shown = 4
	if len(c.AccessKey) < 3*shown {
		return "the access key"
	}
	return fmt.Sprintf("the access key that ends in %q", c.AccessKey[len(c.AccessKey)-shown:])
}

// GoString is String: %#v would show the fields.
func (c Connection) GoString() string { return "s3.Connection{" + c.String() + "}" }

// LogValue is String for log/slog, which would otherwise go through the fields.
func (c Connection) LogValue() slog.Value { return slog.StringValue(c.String()) }

// host is the endpoint as errors name it, without what could be a secret in a malformed URL.
func (c Connection) host() string {
	parsed, err := url.Parse(c.Endpoint)
	if err != nil || parsed.Host == "" {
		return "the S3 server"
	}
	return parsed.Host
}

func (c Connection) region() string {
	if c.Region == "" {
		return DefaultRegion
	}
	return c.Region
}

// check returns the endpoint as a URL, or what is wrong with the connection.
func (c Connection) check() (*url.URL, error) {
	parsed, err := url.Parse(c.Endpoint)
	switch {
	case err != nil || parsed.Host == "" || (parsed.Scheme != "https" && parsed.Scheme != "http"):
		return nil, errors.New(`the endpoint is no URL of an S3 server. Write one such as "https://s3.example.com:9000"`)
	case parsed.User != nil:
		return nil, errors.New("the endpoint holds credentials, which would be stored in the state. Give them as access key and secret key")
	case (parsed.Path != "" && parsed.Path != "/") || parsed.RawQuery != "" || parsed.Fragment != "":
		return nil, fmt.Errorf("the endpoint https://%s has a path or a query, and S3 signs requests without. Write scheme, host and port alone", parsed.Host)
	case c.AccessKey == "" || c.SecretKey == "":
		return nil, fmt.Errorf("there is no access key or no secret key for %s. Give both: Trainyard manages no bucket anonymously", parsed.Host)
	case c.SessionToken != "" && parsed.Scheme == "http" && !fetch.IsLoopback(parsed.Hostname()):
		// Signatures do not show the secret key on the way; the token is sent as it is.
		return nil, fmt.Errorf("the session token would cross the network to %s in plain text. Use an https endpoint", parsed.Host)
	}
	return parsed, nil
}

// authorities are the machine's and those of the bundle; nil is the machine's alone.
func (c Connection) authorities() (*x509.CertPool, error) {
	if len(c.CABundle) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(c.CABundle) {
		return nil, errors.New("the CA bundle holds no certificate. Give certificates in PEM, which begin with -----BEGIN CERTIFICATE-----")
	}
	return pool, nil
}
