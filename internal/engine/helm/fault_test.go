// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

func TestAnErrorOfTheAPIServerIsNotTheValues(t *testing.T) {
	for want, cause := range map[string]error{
		"values": errors.New("set the greeting"), "": apierrors.NewUnauthorized("expired"),
	} {
		if got := spec.PlaceOf(atFault(fmt.Errorf("render chart basic: %w", cause))).String(); got != want {
			t.Errorf("%v stands at %q, want %q", cause, got, want)
		}
	}
}
