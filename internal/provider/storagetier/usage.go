// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/trainyard/terraform-provider-trainyard/internal/engine/kube"
)

// volume is one volume of a class.
type volume struct {
	name, claim string
	// free: no claim has ever had it; local: it is a disk of a node.
	free, local bool
}

// volumesOf are the volumes of the classes of these names.
func volumesOf(ctx context.Context, cluster *kube.Cluster, classes map[string]bool) ([]volume, error) {
	return kube.Read(ctx, cluster, volumeKind, kube.Query{}, func(v *corev1.PersistentVolume) (volume, bool) {
		found := volume{name: v.Name, free: v.Spec.ClaimRef == nil, local: v.Spec.Local != nil}
		if ref := v.Spec.ClaimRef; ref != nil {
			found.claim = ref.Namespace + "/" + ref.Name
		}
		return found, classes[v.Spec.StorageClassName]
	})
}

// usersOf are the claims that have volumes of these classes, and the volumes that still hold
// what a claim had, in order.
func usersOf(ctx context.Context, cluster *kube.Cluster, classes map[string]bool) ([]string, error) {
	found := map[string]bool{}
	claims, err := kube.Read(ctx, cluster, kube.PersistentVolumeClaim, kube.Query{}, func(claim *corev1.PersistentVolumeClaim) (string, bool) {
		name := claim.Spec.StorageClassName
		return claim.Namespace + "/" + claim.Name, name != nil && classes[*name] && claim.Spec.VolumeName != ""
	})
	if err != nil {
		return nil, err
	}
	for _, claim := range claims {
		found["PersistentVolumeClaim "+claim] = true
	}
	volumes, err := volumesOf(ctx, cluster, classes)
	if err != nil {
		return nil, err
	}
	for _, volume := range volumes {
		if !volume.free && !found["PersistentVolumeClaim "+volume.claim] {
			found[fmt.Sprintf("PersistentVolume %s (of %s)", volume.name, volume.claim)] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// named is how many users an error names.
const named = 5

// refuseUse is an error where classes have volumes that would be lost, or would lose what serves
// them.
func refuseUse(ctx context.Context, cluster *kube.Cluster, classes map[string]bool, lose bool) error {
	if lose || len(classes) == 0 {
		return nil
	}
	users, err := usersOf(ctx, cluster, classes)
	if err != nil || len(users) == 0 {
		return err
	}
	text := strings.Join(users[:min(named, len(users))], ", ")
	if more := len(users) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("%d volumes of its classes %s hold data: %s. Delete the claims once their data is elsewhere, or set delete = { data = true } and apply that, to lose it for good",
		len(users), strings.Join(slices.Sorted(maps.Keys(classes)), ", "), text)
}

// defaultsBeside are the default classes of the cluster that are not among these.
func defaultsBeside(ctx context.Context, cluster *kube.Cluster, ours map[string]bool) (names []string, err error) {
	all, err := cluster.WholeOf(ctx, classKind, kube.Query{})
	for _, class := range all {
		if class.GetAnnotations()[defaultClass] == "true" && !ours[class.GetName()] {
			names = append(names, class.GetName())
		}
	}
	slices.Sort(names)
	return names, err
}
