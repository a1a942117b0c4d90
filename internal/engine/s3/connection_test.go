// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestAConnectionShowsNoSecret(t *testing.T) {
	connection := Connection{Endpoint: "https://s3.example.com", AccessKey: "AKIAIOSFODNN7", SecretKey: "hush-hush", SessionToken: "token-token", CABundle: []byte("pem")}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "connection", connection)
	asJSON, err := json.Marshal(connection)
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{
		"%v": fmt.Sprintf("%v", connection), "%+v": fmt.Sprintf("%+v", connection), "%#v": fmt.Sprintf("%#v", connection),
		"String": connection.String(), "a pointer": fmt.Sprintf("%+v", &connection), "slog": logged.String(), "JSON": string(asJSON),
		"within another": fmt.Sprintf("%+v", struct{ C Connection }{connection}),
	} {
		if strings.Contains(text, "hush") || strings.Contains(text, "token-token") || strings.Contains(text, "AKIA") {
			t.Errorf("%s shows a secret: %s", form, text)
		}
		if !strings.Contains(text, "s3.example.com") {
			t.Errorf("%s does not say where to: %s", form, text)
		}
	}
}

func TestConnectionsThatCannotWorkAreRefusedAtOnce(t *testing.T) {
	tests := map[string]struct {
		change func(*Connection)
		says   string
	}{
		"no endpoint":              {func(c *Connection) { c.Endpoint = "" }, "no URL of an S3 server"},
		"no scheme":                {func(c *Connection) { c.Endpoint = "s3.example.com:9000" }, "no URL of an S3 server"},
		"another scheme":           {func(c *Connection) { c.Endpoint = "s3://bucket" }, "no URL of an S3 server"},
		"credentials in it":        {func(c *Connection) { c.Endpoint = "https://a:" + secretKey + "@s3.example.com" }, "holds credentials"},
		"a path":                   {func(c *Connection) { c.Endpoint = "https://s3.example.com/datasets" }, "has a path"},
		"no access key":            {func(c *Connection) { c.AccessKey = "" }, "no access key"},
		"no secret key":            {func(c *Connection) { c.SecretKey = "" }, "no secret key"},
		"a token in plain text":    {func(c *Connection) { c.Endpoint, c.SessionToken = "http://s3.example.com", "t" }, "in plain text"},
		"a bundle of nothing":      {func(c *Connection) { c.CABundle = []byte("nothing") }, "no certificate"},
		"an endpoint half written": {func(c *Connection) { c.Endpoint = "https://" }, "no URL of an S3 server"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			connection := Connection{Endpoint: "https://s3.example.com", AccessKey: "a", SecretKey: secretKey}
			test.change(&connection)
			_, err := Open(connection)
			checkError(t, err, "open a connection to S3", test.says)
		})
	}
	for _, fine := range []Connection{
		{Endpoint: "https://s3.example.com/", AccessKey: "a", SecretKey: "b", SessionToken: "c"},
		{Endpoint: "http://minio.storage.svc:9000", AccessKey: "a", SecretKey: "b"},
		{Endpoint: "http://127.0.0.1:9000", AccessKey: "a", SecretKey: "b", SessionToken: "c", PathStyle: new(true)},
	} {
		if _, err := Open(fine); err != nil {
			t.Errorf("%s: %v", fine, err)
		}
	}
}
