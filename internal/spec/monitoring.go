// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

// Prometheus is how metrics are kept. What is left empty is left to the chart.
type Prometheus struct {
	// Retention is how long samples are kept, as Prometheus writes it (30d); RetentionSize is
	// from which size the oldest go (450GB).
	Retention, RetentionSize string
	// Storage is the volume of each replica; nil keeps samples in the pod, and they go with it.
	Storage  *Volume
	Replicas int
	// RemoteWrite are the servers that get a copy of every sample, by name.
	RemoteWrite map[string]RemoteWrite
	// ExternalLabels tell the samples and alerts of this Prometheus from those of others.
	ExternalLabels map[string]string
}

// Volume is a volume of a StorageClass; an empty class is the default one.
type Volume struct{ Class, Size string }

// RemoteWrite is a server that takes samples.
type RemoteWrite struct {
	URL     string
	Headers map[string]string
	// Username, where set, goes with a password that no specification holds.
	Username string
}

// Receiver is who gets alerts, by one way or several. What is secret of it, such as a webhook's
// address, no specification holds.
type Receiver struct {
	// Severities are those of the alerts that it gets.
	Severities []string
	Slack      *Slack
	Email      *Email
	Webhook    *Webhook
	PagerDuty  *PagerDuty
}

// Slack is a channel of Slack; the webhook's own where it is empty.
type Slack struct{ Channel string }

// Email is an address, and the server that takes mail for it.
type Email struct {
	To, From string
	// Smarthost is the server, host:port.
	Smarthost string
	// Username, where set, goes with a password.
	Username string
	// Plain sends without TLS.
	Plain bool
}

// Webhook is an HTTP endpoint. An empty URL is a secret one.
type Webhook struct {
	URL string
	// Username, where set, goes with a password.
	Username string
}

// PagerDuty is a service of PagerDuty, which its secret key tells.
type PagerDuty struct{}
