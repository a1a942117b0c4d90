// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package spec holds what a user asks for, as plain Go values, and says what is
// wrong with it. Nothing here knows Terraform or talks to a cluster, so that each
// rule can be tested with a table.
package spec
