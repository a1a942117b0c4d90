// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/component"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/node"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/pki"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/progress"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/volcano"
)

// stepTimeout bounds each step, with a part for each node: kwok brings up some
// ten a second on two busy cores.
func stepTimeout(nodes int) time.Duration {
	return 3*time.Minute + time.Duration(nodes)*200*time.Millisecond
}

// bringUp starts everything in order and waits until it works.
func bringUp(ctx context.Context, p plan, report progress.Reporter) error {
	s := supervisor{plan: p}
	clients, err := newClients(p.kubeconfig("admin"))
	if err != nil {
		return err
	}
	steps := []struct {
		name string
		run  func(context.Context) error
	}{
		{"etcd and kube-apiserver", func(ctx context.Context) error {
			if err := s.ensure(ctx, p.etcd(), p.apiServer()); err != nil {
				return err
			}
			return clients.waitReady(ctx, s.dead)
		}},
		{"controllers and schedulers", func(ctx context.Context) error {
			return s.ensure(ctx, p.controllerManager(), p.scheduler(), p.kwok())
		}},
		{"Volcano", func(ctx context.Context) error { return s.volcano(ctx, clients) }},
		{fmt.Sprintf("%d simulated nodes", node.Total(p.state.Pools)), func(ctx context.Context) error {
			return s.nodes(ctx, clients)
		}},
		{"service accounts", func(ctx context.Context) error { return clients.waitServiceAccount(ctx, s.dead) }},
	}
	for _, step := range steps {
		done := report.Step(step.name)
		err := s.guard(ctx, step.run)
		done(err)
		if err != nil {
			return fmt.Errorf("cannot bring up %s: %w", step.name, err)
		}
	}
	return nil
}

// guard runs a step within its time, and blames a process that died meanwhile
// rather than what the step saw of it.
func (s *supervisor) guard(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout(node.Total(s.state.Pools)))
	defer cancel()
	err := step(ctx)
	if err == nil {
		return nil
	}
	if dead := s.dead(); dead != nil {
		return dead
	}
	return err
}

// nodes makes the simulated nodes be the wanted ones, and ready.
func (s *supervisor) nodes(ctx context.Context, clients *clients) error {
	version, err := component.APIServer.Version()
	if err != nil {
		return err
	}
	wanted, err := node.Render(s.state.Pools, version)
	if err != nil {
		return err
	}
	if err := node.Reconcile(ctx, clients.kube.CoreV1().Nodes(), wanted); err != nil {
		return err
	}
	return node.WaitReady(ctx, clients.kube.CoreV1().Nodes(), len(wanted))
}

// volcano installs the definitions, starts what Volcano is made of here, and
// waits until the first queues are open.
func (s *supervisor) volcano(ctx context.Context, clients *clients) error {
	definitions := clients.extensions.ApiextensionsV1().CustomResourceDefinitions()
	if err := volcano.InstallDefinitions(ctx, definitions, s.volcanoDefinitions()); err != nil {
		return err
	}
	queues := clients.volcano.SchedulingV1beta1().Queues()
	specs := s.plan.volcano()
	if err := s.stopOthers(ctx, specs); err != nil {
		return err
	}
	if err := volcano.CreateFirstQueues(ctx, queues); err != nil {
		return err
	}
	if err := s.ensure(ctx, specs...); err != nil {
		return err
	}
	if err := s.webhooks(ctx, clients); err != nil {
		return err
	}
	return volcano.WaitQueuesOpen(ctx, queues)
}

// webhooks registers vc-webhook-manager's configurations, for which it waits, and
// starts it; where it is not to run it removes what an earlier one left.
func (s *supervisor) webhooks(ctx context.Context, clients *clients) error {
	authority, err := pki.Read(s.pki("ca"))
	if err != nil {
		return err
	}
	registration := volcano.Webhooks{
		Client: clients.kube.AdmissionregistrationV1(), URL: s.webhookURL(), CABundle: authority.Cert,
	}
	if !s.has(vcWebhook) {
		if _, ran := s.state.process(vcWebhook); !ran {
			return nil
		}
		if err := registration.Remove(ctx); err != nil {
			return err
		}
		return s.stop(ctx, vcWebhook)
	}
	if err := registration.Register(ctx); err != nil {
		return err
	}
	if err := s.ensure(ctx, s.webhookManager()); err != nil {
		return err
	}
	return waitListening(ctx, s.state.Ports[portWebhook], s.dead)
}

// stopOthers ends Volcano processes that are not to run any more: the stand-in
// once the real controllers are there.
func (s *supervisor) stopOthers(ctx context.Context, wanted []process.Spec) error {
	for _, name := range []string{standin, vcController, vcScheduler} {
		if slices.ContainsFunc(wanted, func(spec process.Spec) bool { return spec.Name == name }) {
			continue
		}
		if err := s.stop(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
