// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component_test

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/trainyard/terraform-provider-trainyard/internal/acctest"
	"github.com/trainyard/terraform-provider-trainyard/internal/acctest/faultproxy"
)

// at matches requests by verb and resource: "apply configmaps".
func at(request string) func(faultproxy.Request) bool {
	return func(r faultproxy.Request) bool { return r.String() == request }
}

// stands fails the test unless the newest record of the release has this status.
func (s *stage) stands(t *testing.T, status string) {
	t.Helper()
	if all := s.records(); len(all) == 0 || !strings.HasSuffix(all[len(all)-1], status) {
		t.Errorf("Helm's records are %v, want the last to be %s", all, status)
	}
}

func TestAccPendingReleaseOfOursThatIsStaleIsRecovered(t *testing.T) {
	apply := []string{"apply", "-auto-approve"}
	for status, play := range map[string]func(t *testing.T, s *stage, w run, p *faultproxy.Proxy){
		"pending-install": func(_ *testing.T, s *stage, w run, p *faultproxy.Proxy) {
			w.Write(s.component(s.chart("basic"), ""))
			w.Killed(p, acctest.Kill{When: at("apply services"), Terraform: true}, apply...)
		},
		"pending-upgrade": func(_ *testing.T, s *stage, w run, p *faultproxy.Proxy) {
			w.Write(s.component(s.chart("basic"), ""))
			w.settle()
			w.Write(s.component(s.chart("basic"), `values = { greeting = "moin" }`))
			w.Killed(p, acctest.Kill{When: at("apply configmaps"), Terraform: true}, apply...)
		},
		"pending-rollback": func(_ *testing.T, s *stage, w run, p *faultproxy.Proxy) {
			arguments := `on_failure = "rollback"`
			w.Write(s.component(s.chart("basic"), arguments))
			w.settle()
			w.Write(s.component(s.chart("basic"), arguments+"\nvalues = { greeting = \"moin\", nodeSelector = { nowhere = \"x\" } }"+brief))
			created := 0
			w.Killed(p, acctest.Kill{After: true, When: func(r faultproxy.Request) bool {
				if r.String() == "create secrets" {
					created++
				}
				return created == 2
			}}, apply...)
		},
	} {
		t.Run(status, func(t *testing.T) {
			s := prepare(t)
			proxy := faultproxy.Start(t, s.Config)
			w := run{s.ProgramWorkspace("").Through(proxy), s}
			play(t, s, w, proxy)
			w.Mend()
			s.stands(t, status)
			w.Write(s.component(s.chart("basic"), `values = { greeting = "servus" }`))
			w.settle()
			s.stands(t, "deployed")
			w.Must(w.Destroy(), 0)
			s.gone(deployment, service)
		})
	}
}

func TestAccRunThatIsStillAtWorkIsNotDisturbed(t *testing.T) {
	s := prepare(t)
	chart := s.chart("basic")
	one := s.workspace(s.component(chart, nowhere+"\n  timeouts = { create = \"30s\" }"))
	two := s.workspace(s.component(chart, `values = { volume = true }`))
	done := make(chan acctest.Result)
	go func() { done <- one.Apply() }()
	s.Await("the first run to be at work", func() bool { return s.Find(deployment, s.ns, "app") != nil })
	has(t, two.Must(two.Apply(), acctest.Failed).Text,
		"another run is at work", "pending-install since", `component "`+s.ns+`.app" of owner "`+s.owner, "sign of life")
	if result := <-done; result.Code != 0 {
		t.Errorf("the first run was disturbed: %s", result.Text)
	}
	two.settle()
	two.Must(two.Destroy(), 0)
}

func TestAccPendingReleaseOfOthersIsLeftAlone(t *testing.T) {
	for status, args := range map[string][]string{
		"pending-install":  {"install", "app", "CHART", "--set", "nodeSelector.nowhere=x", "--wait"},
		"pending-upgrade":  {"upgrade", "app", "CHART", "--set", "nodeSelector.nowhere=x", "--wait"},
		"pending-rollback": {"rollback", "app", "1", "--wait"},
	} {
		t.Run(status, func(t *testing.T) {
			s := prepare(t)
			chart := s.chart("basic")
			switch status {
			case "pending-upgrade":
				s.helm("install", "app", chart)
			case "pending-rollback":
				s.helm("install", "app", chart, "--set", "nodeSelector.nowhere=x")
				s.helm("upgrade", "app", chart)
			}
			s.helmKilled(status, strings.Split(strings.ReplaceAll(strings.Join(args, " "), "CHART", chart), " ")...)
			before := s.records()
			w := s.workspace(s.component(chart, ""))
			has(t, w.Must(w.Apply(), acctest.Failed).Text, "another run is at work", "is "+status+" since", "by somebody else", "ago", "helm rollback")
			if fmt.Sprint(before) != fmt.Sprint(s.records()) {
				t.Errorf("Helm's records changed from %v to %v", before, s.records())
			}
			if w.attributes() != nil {
				t.Error("somebody else's release is in the state")
			}
		})
	}
}

// helmKilled runs the helm command and kills it when the release has a status.
func (s *stage) helmKilled(status string, args ...string) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), s.helmProgram(), append(args, "--namespace", s.ns, "--kubeconfig", s.Kubeconfig)...)
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.Await("the release to be "+status, func() bool { return strings.Contains(fmt.Sprint(s.records()), status) })
	_ = command.Process.Signal(syscall.SIGKILL)
	_ = command.Wait() // killed
}
