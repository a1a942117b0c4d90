// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/trainyard/terraform-provider-trainyard/internal/progress"
)

// job is one chart or image to be carried.
type job struct {
	name string
	// run does it, counting bytes; it says what became of it.
	run func(ctx context.Context, count func(int64)) (outcome string, err error)
}

// What becomes of a job.
const (
	fetched = "fetched"
	loaded  = "loaded"
	present = "there already"
)

// Failures are the charts and images that could not be had. What could be had is kept.
type Failures struct {
	Total  int
	Failed []string // each with its reason
}

func (f *Failures) Error() string {
	rest := "; the others are in place, and the next run goes on from there"
	if len(f.Failed) == f.Total {
		rest = ""
	}
	return fmt.Sprintf("%d of %d could not be had%s:\n  %s", len(f.Failed), f.Total, rest, strings.Join(f.Failed, "\n  "))
}

// carry runs the jobs, one failure not keeping it from the others.
func carry(ctx context.Context, bar *progress.Bar, jobs []job) error {
	failures := &Failures{Total: len(jobs)}
	for _, job := range jobs {
		bar.Begin(job.name)
		outcome, err := job.run(ctx, bar.Add)
		if ctx.Err() != nil && err != nil {
			bar.End("interrupted")
			return fmt.Errorf("interrupted at %s; what is complete is kept, and the next run goes on from there: %w", job.name, context.Cause(ctx))
		}
		if err != nil {
			outcome = "failed"
			failures.Failed = append(failures.Failed, job.name+": "+strings.TrimPrefix(err.Error(), job.name+": "))
		}
		bar.End(outcome)
	}
	if len(failures.Failed) > 0 {
		return failures
	}
	return nil
}

// anonymous is the keychain without keys.
type anonymous struct{}

func (anonymous) Resolve(authn.Resource) (authn.Authenticator, error) { return authn.Anonymous, nil }

func authenticated(keychain authn.Keychain) remote.Option {
	if keychain == nil {
		keychain = anonymous{}
	}
	return remote.WithAuthFromKeychain(keychain)
}
