// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package storagetier is the resource trainyard_storage_tier: storage for training.
package storagetier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/entity"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// resourceType is the type after "trainyard_", holder what the labels of its objects say.
const (
	resourceType = "storage_tier"
	holder       = "storage-tier"
)

// New makes the resource.
func New() resource.Resource {
	return entity.NewHeavy[Model](entity.Heavy[Model]{
		Type: resourceType, Noun: "storage tier",
		Schema:    schemaOf,
		Identity:  map[string]string{"name": "Name of the tier."},
		Import:    func(id string) (map[string]string, error) { return map[string]string{"name": id}, nil },
		Check:     check,
		Secrets:   secrets,
		Open:      open,
		Observe:   observe,
		Preview:   preview,
		Apply:     apply,
		Remove:    remove,
		Protected: func(m *Model) bool { return m.Protection.ValueBool() },
	})
}

func secrets(ctx context.Context, config tfsdk.Config, m *Model) diag.Diagnostics {
	if m.Object.IsNull() || m.Object.IsUnknown() {
		return nil
	}
	return config.GetAttribute(ctx, path.Root("object").AtName("secret_key_wo"), &m.secret)
}

func observe(ctx context.Context, s *entity.Session, m *Model) (gone bool, err error) {
	w, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	imported := len(w.Records) == 0 // what stands is taken over by the next apply
	if gone, err = w.Observe(ctx, s, &m.HeavyCommon); err != nil {
		return false, err
	}
	w.fill(m)
	return gone && !imported, nil
}

func preview(ctx context.Context, s *entity.Session, plan, _ *Model) (same bool, err error) {
	if !known(plan) {
		return false, nil
	}
	w, err := assemble(ctx, s, plan)
	if err != nil {
		return false, err
	}
	w.fill(plan)
	if s.Cluster != nil {
		if err := w.refuse(ctx); err != nil {
			return false, err
		}
	}
	lines, err := w.Preview(ctx)
	plan.Changes = release.Texts(lines)
	return false, err
}

func apply(ctx context.Context, s *entity.Session, m *Model) (touched bool, err error) {
	w, err := assemble(ctx, s, m)
	if err != nil {
		return false, err
	}
	w.fill(m)
	if err := w.refuse(ctx); err != nil {
		return false, err
	}
	touched, err = w.Apply(ctx, s, &m.HeavyCommon)
	m.Status = types.StringValue(w.status())
	return touched, err
}

func remove(ctx context.Context, s *entity.Session, m *Model) ([]string, error) {
	w, err := assemble(ctx, s, m)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, class := range w.record.Kept {
		names[class.Name] = true
	}
	if err := refuseUse(ctx, s.Cluster, names, w.lose); err != nil {
		return nil, err
	}
	return w.Remove(ctx)
}

// refuse is an error where a plan would make a second default class, or take away what
// provisions volumes that stand.
func (w *whole) refuse(ctx context.Context) error {
	ours, leaving := map[string]bool{}, map[string]bool{}
	isDefault := ""
	for _, kept := range w.record.Kept {
		ours[kept.Name] = true
		if _, wanted := w.classes[kept.Purpose]; !wanted || !w.serves(ctx, kept.StorageClass) {
			leaving[kept.Name] = true
		}
	}
	for _, class := range w.classes {
		ours[class.Name] = true
		if class.Default {
			isDefault = class.Name
		}
	}
	if err := refuseUse(ctx, w.engine.Cluster, leaving, w.lose); err != nil {
		return err
	}
	if isDefault == "" {
		return nil
	}
	others, err := defaultsBeside(ctx, w.engine.Cluster, ours)
	if err != nil || len(others) == 0 {
		return err
	}
	return fmt.Errorf("the StorageClass %s would be the cluster's default, and %s is already. With two, claims that name no class get whichever is newer. "+
		"Set default = false, or take the annotation %s from the other one", isDefault, strings.Join(others, ", "), defaultClass)
}

// serves says whether what is behind a class of an earlier run stays.
func (w *whole) serves(ctx context.Context, class spec.StorageClass) bool {
	shared, given, err := w.model.shared(ctx)
	if err != nil || !given || shared.Ceph == nil {
		return true // a change of the kind of tier makes another one
	}
	return shared.Ceph.spec(w.model.Name.ValueString()).Serves(class)
}

// status says what stands, and of old classes what to do.
func (w *whole) status() string {
	var names, old []string
	for _, part := range w.Parts {
		names = append(names, part.Name())
	}
	record, _ := readClasses(w.Records.Of(partClasses).Record) // written by this run
	for _, kept := range record.Kept {
		if kept.Old {
			old = append(old, kept.Name)
		}
	}
	text := strings.Join(names, ", ")
	if len(old) == 0 {
		return text
	}
	slices.Sort(old)
	return fmt.Sprintf("%s. The StorageClass %s stays for the volumes that it has, because a class cannot change: make claims of the new class, "+
		"copy what the old ones hold, move the pods, and delete the old claims", text, strings.Join(old, ", "))
}
