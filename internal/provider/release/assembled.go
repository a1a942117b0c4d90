// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/assembly"
	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
)

// Assembled is a resource that is made of parts, and what it remembers of them.
type Assembled struct {
	assembly.Assembly
	Records assembly.Records
}

// Load reads what a resource remembers of its parts.
func (a *Assembled) Load(s *entity.Session) error {
	if len(s.Record) == 0 {
		return nil
	}
	return json.Unmarshal(s.Record, &a.Records)
}

func (a *Assembled) save(s *entity.Session, now assembly.Records) (err error) {
	a.Records = now
	s.Record, err = json.Marshal(now)
	return err
}

// Observe brings state up to date with how the parts stand. gone: nothing stands.
func (a *Assembled) Observe(ctx context.Context, s *entity.Session, common *entity.HeavyCommon) (gone bool, err error) {
	standing, now, err := a.Assembly.Observe(ctx, a.Records)
	if err != nil {
		return false, err
	}
	common.Drift = Texts(standing.Drift)
	if standing.Unready != "" && common.Ready.ValueBool() {
		common.Ready, common.Status = types.BoolValue(false), types.StringValue(standing.Unready)
	}
	return standing.Gone, a.save(s, now)
}

// Preview says what Apply would do, line by line.
func (a *Assembled) Preview(ctx context.Context) ([]string, error) {
	return a.Assembly.Preview(ctx, a.Records)
}

// Apply makes the parts. touched: something was written.
func (a *Assembled) Apply(ctx context.Context, s *entity.Session, common *entity.HeavyCommon) (touched bool, err error) {
	out, now, err := a.Assembly.Apply(ctx, a.Records)
	if common.Changes.IsUnknown() {
		common.Changes = Texts(out.Changed)
	}
	return out.Touched, errors.Join(err, a.save(s, now))
}

// Remove takes the parts away, the last first, and names what it left. It does not pretend to have
// removed what it knows nothing of.
func (a *Assembled) Remove(ctx context.Context) ([]string, error) {
	if len(a.Records) == 0 {
		return nil, errors.New("it was imported and not applied since, so that nothing says what it is made of. Apply it once and destroy it then, or take it out of the state alone (terraform state rm)")
	}
	kept, _, err := a.Assembly.Remove(ctx, a.Records)
	return kept, err
}

// Texts is a list of texts for Terraform.
func Texts(lines []string) types.List {
	values := make([]attr.Value, 0, len(lines))
	for _, line := range lines {
		values = append(values, types.StringValue(line))
	}
	return types.ListValueMust(types.StringType, values)
}
