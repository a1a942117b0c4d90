// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/release"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

func TestJudge(t *testing.T) {
	me := objects.Owner{Owner: "default", Resource: "component", Name: "a.b"}
	other := objects.Owner{Owner: "else", Resource: "component", Name: "a.b"}
	known := Record{Revision: 3, Inputs: "x"}
	at := func(status release.Status, revision int, owner *objects.Owner) *entry {
		e := &entry{Revision: revision, Status: status, Changed: time.Unix(0, 0)}
		if owner != nil {
			e.Owner, e.Ours = *owner, true
		}
		return e
	}
	for _, test := range []struct {
		name   string
		f      finding
		want   State
		reason string
	}{
		{"nothing there", finding{}, Absent, "no record"},
		{"uninstalled with its history kept", finding{Latest: at(release.StatusUninstalled, 3, &me), Owner: me}, Absent, "history kept"},
		{"made by helm", finding{Latest: at(release.StatusDeployed, 3, nil), Owner: me}, Unmanaged, "somebody else"},
		{"made by another configuration", finding{Latest: at(release.StatusDeployed, 3, &other), Owner: me}, Unmanaged, `owner "else"`},
		{"made by helm, and imported", finding{Latest: at(release.StatusDeployed, 3, nil), Owner: me, Record: known}, InSync, "revision 3"},
		{"pending, of helm", finding{Latest: at(release.StatusPendingUpgrade, 4, nil), Owner: me, Record: known}, Locked, "helm command"},
		{"pending, of ours", finding{Latest: at(release.StatusPendingInstall, 1, &me), Owner: me}, Locked, `"a.b"`},
		{"pending rollback", finding{Latest: at(release.StatusPendingRollback, 4, nil), Owner: me, Record: known}, Locked, "pending-rollback"},
		{"being removed", finding{Latest: at(release.StatusUninstalling, 3, &me), Owner: me}, Leaving, "did not end"},
		{"failed", finding{Latest: at(release.StatusFailed, 4, &me), Owner: me, Record: known}, Failed, "revision 4 failed"},
		{"rolled back by hand", finding{Latest: at(release.StatusDeployed, 4, nil), Owner: me, Record: known}, OutOfSync, "last one of ours is 3"},
		{"other values are wanted", finding{Latest: at(release.StatusDeployed, 3, &me), Owner: me, Record: known, Inputs: "y"}, OutOfSync, "have changed"},
		{"edited by hand", finding{Latest: at(release.StatusDeployed, 3, &me), Owner: me, Record: known, Inputs: "x", Drifted: 2}, Drifted, "2 of its objects"},
		{"as it was applied", finding{Latest: at(release.StatusDeployed, 3, &me), Owner: me, Record: known, Inputs: "x"}, InSync, "revision 3"},
		{"ours, but its record was lost", finding{Latest: at(release.StatusDeployed, 1, &me), Owner: me, Inputs: "x"}, OutOfSync, "last one of ours is 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			state, reason := judge(test.f)
			if state != test.want || !strings.Contains(reason, test.reason) {
				t.Errorf("got %q because %q, want %q and %q", state, reason, test.want, test.reason)
			}
		})
	}
}
