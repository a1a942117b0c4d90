// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package entity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/connect"
	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

type sourceModel struct{ SourceCommon }

func TestASourceIsNotReadWithoutItsCluster(t *testing.T) {
	unknown := connect.NewHub("test")
	unknown.Unknown = true
	none := types.ObjectNull(connect.AttrTypes())
	for _, test := range []struct {
		name string
		hub  *connect.Hub
		at   types.Object
		want error
	}{
		{"the provider's cluster is only known after apply", unknown, none, errLater},
		{"its own cluster is only known after apply", connect.NewHub("test"), types.ObjectUnknown(connect.AttrTypes()), errLater},
		{"no cluster is configured", connect.NewHub("test"), none, kube.ErrNoConnection},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := &sourceEnvelope[sourceModel, *sourceModel]{hub: test.hub, source: Source[sourceModel]{
				Read: func(context.Context, *kube.Cluster, *sourceModel) (spec.Violations, diag.Diagnostics, error) {
					t.Error("it was read")
					return nil, nil, nil
				},
			}}
			if _, _, err := e.read(t.Context(), test.at, &sourceModel{}); !errors.Is(err, test.want) {
				t.Errorf("err = %v, want %v", err, test.want)
			}
		})
	}
}

func TestLimitText(t *testing.T) {
	for limit, want := range map[time.Duration]string{
		30 * time.Second: "30s.", 2 * time.Minute: "2m.", 90 * time.Second: "1m30s.", time.Hour: "1h0m.",
	} {
		if got := limitText("reading", limit); !strings.HasSuffix(got, "Default "+want) {
			t.Errorf("%s: %s", limit, got)
		}
	}
}
