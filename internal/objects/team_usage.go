// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package objects

// UnfinishedPods is the field selector of the pods that still work or wait to.
const UnfinishedPods = "status.phase!=Succeeded,status.phase!=Failed"

// ClaimBound says whether a PersistentVolumeClaim holds a volume, and with it data.
func ClaimBound(claim *Object) bool {
	return nested[string](claim.Object, "status", "phase") == "Bound"
}
