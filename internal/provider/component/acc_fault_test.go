// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"bytes"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
)

// TestAccAPIServerThatGoesDuringARemoval loses the API server at the first deletion: the component
// stays in the state, and the next destroy goes on.
func TestAccAPIServerThatGoesDuringARemoval(t *testing.T) {
	for _, kind := range []faultproxy.Kind{faultproxy.Reset, faultproxy.Unavailable, faultproxy.Unauthorized} {
		t.Run(string(kind), func(t *testing.T) {
			s := prepare(t)
			proxy := faultproxy.Start(t, s.Config)
			w := run{s.Bed.Workspace(s.component(s.chart("basic"), `timeouts = { delete = "5s" }`)).Through(proxy), s}
			w.settle()
			before := w.State()
			proxy.Inject(faultproxy.Fault{Kind: kind, Verb: "delete"})
			has(t, w.Must(w.Destroy(), acctest.Failed).Text, `Unable to delete component "`+s.ns+`/app"`)
			if w.attributes() == nil || len(s.records()) == 0 {
				t.Fatal("the component left the state, or Helm's records are gone")
			}
			proxy.Heal()
			proxy.Inject(faultproxy.Fault{Kind: kind}) // nothing can be asked: not even whether it is there
			held := w.State()
			w.Must(w.Run("destroy", "-auto-approve", "-refresh=false"), acctest.Failed)
			w.Must(w.Destroy(), acctest.Failed)
			if !bytes.Contains(w.State(), []byte(s.ns)) || !bytes.Equal(instances(held), instances(w.State())) {
				t.Errorf("the state changed from %s to %s, and was %s", held, w.State(), before)
			}
			proxy.Heal()
			w.Must(w.Destroy(), 0)
			s.gone(deployment, service)
		})
	}
}

// instances is a state without its serial number.
func instances(state []byte) []byte {
	_, after, _ := bytes.Cut(state, []byte(`"resources"`))
	return after
}

// TestAccFaultsThatPassDoNotFailAnInstallation has every request fail once, in turn.
func TestAccFaultsThatPassDoNotFailAnInstallation(t *testing.T) {
	for _, kind := range []faultproxy.Kind{
		faultproxy.TooManyRequests, faultproxy.InternalError, faultproxy.Unavailable, faultproxy.Reset, faultproxy.CutBody, faultproxy.Slow,
	} {
		t.Run(string(kind), func(t *testing.T) {
			s := prepare(t)
			proxy := faultproxy.Start(t, s.Config)
			w := run{s.Bed.Workspace(s.component(s.chart("basic"), "")).Through(proxy), s}
			for _, verb := range []string{"get", "list", "rehearse", "create", "apply", "update"} {
				proxy.Inject(faultproxy.Fault{Kind: kind, Verb: verb, From: 1, Times: 1})
				proxy.Inject(faultproxy.Fault{Kind: kind, Verb: verb, From: 3, Times: 1})
			}
			w.Must(w.Apply(), 0)
			if !w.ready() || w.revision() != "1" {
				t.Errorf("ready %v, revision %s: %v", w.ready(), w.revision(), w.attributes()["status"])
			}
			proxy.Heal()
			w.Settled()
			proxy.Inject(faultproxy.Fault{Kind: kind, Verb: "delete", Times: 2})
			w.Must(w.Destroy(), 0)
			s.gone(deployment, service)
		})
	}
}
