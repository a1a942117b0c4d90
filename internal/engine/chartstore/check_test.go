// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckNamesWhatIsWrong(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a1", 32)
	tests := map[string]struct {
		source Source
		want   []string
	}{
		"a repository":                 {Source{Repository: "https://charts.example.com/stable", Name: "queue", Version: "1.2.0", Digest: digest}, nil},
		"a repository on this machine": {Source{Repository: "http://127.0.0.1:8879", Name: "queue", Version: "v1.2.0-rc.1+b7"}, nil},
		"a registry":                   {Source{Registry: "oci://ghcr.io/example/charts", Name: "queue", Version: "1.2.0"}, nil},
		"a registry with a port":       {Source{Registry: "oci://localhost:5000", Name: "queue", Version: "1.2.0"}, nil},
		"a path":                       {Source{Path: "./charts/queue"}, nil},
		"nothing":                      {Source{Name: "queue", Version: "1.2.0"}, []string{"repository"}},
		"two sources":                  {Source{Repository: "https://charts.example.com", Path: "x", Name: "queue", Version: "1.2.0"}, []string{"path"}},
		"plain http":                   {Source{Repository: "http://charts.example.com", Name: "queue", Version: "1.2.0"}, []string{"repository"}},
		"credentials in the URL":       {Source{Repository: "https://me:secret@charts.example.com", Name: "queue", Version: "1.2.0"}, []string{"repository"}},
		"a token in the query":         {Source{Repository: "https://charts.example.com?token=secret", Name: "queue", Version: "1.2.0"}, []string{"repository"}},
		"a registry as repository":     {Source{Repository: "oci://ghcr.io/example", Name: "queue", Version: "1.2.0"}, []string{"repository"}},
		"a registry without scheme":    {Source{Registry: "ghcr.io/example", Name: "queue", Version: "1.2.0"}, []string{"registry"}},
		"a registry in capitals":       {Source{Registry: "oci://ghcr.io/Example", Name: "queue", Version: "1.2.0"}, []string{"registry"}},
		"no name":                      {Source{Repository: "https://charts.example.com", Version: "1.2.0"}, []string{"name"}},
		"a name with a path":           {Source{Repository: "https://charts.example.com", Name: "../queue", Version: "1.2.0"}, []string{"name"}},
		"no version":                   {Source{Repository: "https://charts.example.com", Name: "queue"}, []string{"version"}},
		"a range":                      {Source{Repository: "https://charts.example.com", Name: "queue", Version: "~1.2"}, []string{"version"}},
		"a part of a version":          {Source{Repository: "https://charts.example.com", Name: "queue", Version: "1.2"}, []string{"version"}},
		"latest":                       {Source{Registry: "oci://ghcr.io/example", Name: "queue", Version: "latest"}, []string{"version"}},
		"a digest of another kind":     {Source{Path: "x", Digest: "md5:abc"}, []string{"digest"}},
		"credentials for a path":       {Source{Path: "x", Credentials: &Credentials{}}, []string{"credentials"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, violation := range test.source.Check() {
				got = append(got, violation.Path.String())
				if strings.Contains(violation.Error(), "secret") {
					t.Errorf("the violation holds the secret: %s", violation.Error())
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCredentialsDoNotPrint(t *testing.T) {
	source := Source{Repository: "https://charts.example.com", Credentials: &Credentials{Username: "canary-user", Password: "canary-password"}}
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("find", "credentials", *source.Credentials)
	for _, text := range []string{
		fmt.Sprint(source), fmt.Sprintf("%v %+v %#v", *source.Credentials, *source.Credentials, *source.Credentials),
		fmt.Sprintf("%+v", source.Credentials), logged.String(),
	} {
		if strings.Contains(text, "canary") {
			t.Errorf("credentials in %q", text)
		}
	}
}
