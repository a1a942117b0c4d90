// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trainyard/terraform-provider-trainyard/internal/redact"
)

func TestText(t *testing.T) {
	secrets := map[string]any{
		"password": "hunter22-x", "pin": int64(4711), "short": "on", "list": []any{"tok-ABCDEF", nil, true},
		"key": "-----BEGIN-----\nMIIEow\n-----END-----\n",
	}
	mask := redact.Of(secrets)
	for _, test := range []struct{ name, text, want string }{
		{"a secret within a text", `invalid value "hunter22-x" given`, `invalid value "(sensitive)" given`},
		{"a secret in base64", "data: aHVudGVyMjIteA==", "data: (sensitive)"},
		{"a number of four digits", "port 4711 is taken", "port (sensitive) is taken"},
		{"a secret in a list", "Bearer tok-ABCDEF", "Bearer (sensitive)"},
		{"one line of many", "bad line MIIEow", "bad line (sensitive)"},
		{"a short secret alone", " on ", "(sensitive)"},
		{"a short secret within other words", "one version only", "one version only"},
		{"nothing secret", "replicas: 2 -> 3", "replicas: 2 -> 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, mask.Text(test.text)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingIsHiddenWithoutSecrets(t *testing.T) {
	for _, mask := range []redact.Masker{{}, redact.Of(), redact.Of(nil)} {
		if got := mask.Text("anything at all"); got != "anything at all" {
			t.Errorf("got %q", got)
		}
	}
}

func TestErrorKeepsItsCause(t *testing.T) {
	mask := redact.Of("hunter22-x")
	err := mask.Error(errors.Join(errors.New("with hunter22-x"), io.ErrUnexpectedEOF))
	if strings.Contains(err.Error(), "hunter") || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("err = %v", err)
	}
	if mask.Error(nil) != nil {
		t.Error("no error became one")
	}
}

func FuzzText(f *testing.F) {
	f.Add("a secret of some length", "before ", " after")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		secret = strings.TrimSpace(secret)
		if len(secret) < 4 || strings.Contains(redact.Hidden, secret) {
			return // too short to be looked for, or part of what stands in its place
		}
		got := redact.Of(secret).Text(before + secret + after)
		rest := strings.ReplaceAll(got, redact.Hidden, "\x00")
		if strings.Contains(rest, secret) {
			t.Errorf("%q is still in %q", secret, got)
		}
	})
}
