// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/trainyard/terraform-provider-trainyard/internal/catalog"
	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

// check finds what is wrong with a configuration, and warns of what may not be meant.
func check(ctx context.Context, m *Model) (v spec.Violations, diags diag.Diagnostics) {
	if m.Cache.IsUnknown() || m.SharedTier.IsUnknown() || m.Object.IsUnknown() {
		return nil, nil
	}
	one(&v, spec.Path{"cache"}, "cache, shared and object", !m.Cache.IsNull(), !m.SharedTier.IsNull(), !m.Object.IsNull())
	diags = append(diags, m.bandwidth(ctx, &v)...)
	if !known(m) || len(v) > 0 {
		return v, diags
	}
	shared, there, err := m.shared(ctx)
	if err == nil && there {
		shared.check(&v, m.Name.ValueString())
	}
	object, there, errObject := m.object(ctx)
	if errObject == nil && there {
		object.check(&v)
	}
	if err := errors.Join(err, errObject); err != nil {
		diags.AddError("Unable to read the configuration", err.Error())
		return v, diags
	}
	claimed, err := m.claimed(ctx)
	if err == nil {
		checkClasses(&v, claimed)
	}
	if m.loses(ctx) && len(v) == 0 {
		diags.Append(loss(claimed, object))
	}
	return v, diags
}

// one refuses all but exactly one of several arguments.
func one(v *spec.Violations, at spec.Path, names string, given ...bool) {
	count := 0
	for _, there := range given {
		if there {
			count++
		}
	}
	if count != 1 {
		v.Add(at, "Give exactly one of "+names, "%d of %s are given", count, names)
	}
}

func (s sharedModel) check(v *spec.Violations, tier string) {
	at := spec.Path{"shared"}
	one(v, at, "shared.ceph and shared.csi", s.Ceph != nil, s.CSI != nil)
	if s.Ceph != nil {
		for _, found := range s.Ceph.spec(tier).Validate() {
			v.Add(slices.Concat(at, spec.Path{"ceph"}, found.Path), found.Remedy, "%s", found.Problem)
		}
	}
	if s.CSI != nil && len(s.CSI.Classes) == 0 {
		v.Add(at.At("csi", "classes"), "Give at least one class", "the tier has no StorageClass")
	}
}

// checkClasses refuses two classes of one name, and two defaults.
func checkClasses(v *spec.Violations, all map[string]spec.StorageClass) {
	names, first := map[string]string{}, ""
	for _, purpose := range slices.Sorted(maps.Keys(all)) {
		class := all[purpose]
		if other, taken := names[class.Name]; taken {
			v.Add(spec.Path{"shared"}, "Give each a name of its own", "the classes %s and %s have the name %q", other, purpose, class.Name)
		}
		names[class.Name] = purpose
		if class.Default && first != "" {
			v.Add(spec.Path{"shared"}, "Set default = true on one of them", "the classes %s and %s are both the cluster's default", first, purpose)
		}
		if class.Default {
			first = purpose
		}
	}
}

func (o objectModel) check(v *spec.Violations) {
	at, backend := spec.Path{"object"}, o.Backend.ValueString()
	installed := backend == backendMinIO || backend == backendSeaweedFS
	switch {
	case backend == backendOutside && o.Endpoint.IsNull():
		v.Add(at.At("endpoint"), `Give the URL of the server, such as "https://s3.eu-central-1.amazonaws.com"`, "nothing says where the server outside is")
	case installed && o.AccessKey.IsNull():
		v.Add(at.At("access_key"), "Give access_key and secret_key_wo", "the server is installed with its keys")
	case backend == backendCeph && o.Rook == nil:
		v.Add(at.At("rook"), `Name the store, such as rook = { store = "shared-store" }`, "nothing says which store of Ceph it is")
	case backend == backendCeph && !o.AccessKey.IsNull():
		v.Add(at.At("access_key"), "Leave it out", "Rook makes the keys of Ceph's accounts")
	}
	if o.Server != nil && !installed {
		v.Add(at.At("server"), "Leave it out", "no server is installed for %s", backend)
	}
	if o.Rook != nil && backend != backendCeph {
		v.Add(at.At("rook"), "Leave it out", "the backend is %s", backend)
	}
	if replicas := o.Server.or().Replicas; backend == backendMinIO && !replicas.IsNull() && (replicas.ValueInt64() < 1 || replicas.ValueInt64() == 2 || replicas.ValueInt64() == 3) {
		v.Add(at.At("server", "replicas"), "Give 1, or 4 or more", "MinIO does not spread chunks over %d servers", replicas.ValueInt64())
	}
	for _, found := range spec.ValidateBuckets(o.buckets()) {
		v.Add(slices.Concat(at, spec.Path{"buckets"}, found.Path), found.Remedy, "%s", found.Problem)
	}
}

// loss warns of what a destroy would lose.
func loss(classes map[string]spec.StorageClass, object objectModel) diag.Diagnostic {
	var lost []string
	for _, name := range slices.Sorted(maps.Values(byPurpose(classes))) {
		lost = append(lost, "every volume of the StorageClass "+name)
	}
	for _, bucket := range object.buckets() {
		lost = append(lost, "every object and version in the bucket "+bucket.Name)
	}
	slices.Sort(lost)
	return diag.NewAttributeWarningDiagnostic(path.Root("delete").AtName("data"), "A destroy loses data",
		fmt.Sprintf("With delete.data set, a destroy or a replacement of this tier loses for good: %s.", strings.Join(lost, "; ")))
}

// bandwidth warns where the tier reads less than its readers want.
func (m *Model) bandwidth(ctx context.Context, v *spec.Violations) (diags diag.Diagnostics) {
	if m.Bandwidth.IsNull() || m.Bandwidth.IsUnknown() || m.Pools.IsNull() || !release.Wholly(m.Pools) {
		return nil
	}
	var pools map[string]poolModel
	if diags = m.Pools.ElementsAs(ctx, &pools, false); diags.HasError() {
		return diags
	}
	var readers []spec.Readers
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		model, listed := catalog.ModelNamed(pools[name].Accelerator.ValueString())
		if !listed {
			v.Add(spec.Path{"pools", spec.Key(name), "accelerator"}, "Use one of "+strings.Join(catalog.ModelNames(), ", "), "there is no accelerator %q in the catalogue", pools[name].Accelerator.ValueString())
			continue
		}
		readers = append(readers, spec.Readers{Pool: name, Each: model.StorageGBps, Count: pools[name].Accelerators.ValueInt64()})
	}
	need := spec.NeedGBps(readers)
	if has := m.Bandwidth.ValueFloat64(); has < float64(need) {
		var parts []string
		for _, one := range readers {
			parts = append(parts, fmt.Sprintf("%s %d x %d", one.Pool, one.Count, one.Each))
		}
		diags.AddAttributeWarning(path.Root("read_bandwidth_gb_per_s"), "Storage may keep accelerators waiting",
			fmt.Sprintf("The tier reads %g GB/s, and its readers want %d GB/s by rule of thumb (%s GB/s). Give it more disks or servers, put a cache tier before it, or let fewer accelerators read from it.",
				has, need, strings.Join(parts, ", ")))
	}
	return diags
}
