// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package assembly

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// world is what stands, and what was done to it.
type world struct {
	stands map[string]bool
	broken map[string]bool
	done   []string
}

// thing is a part that stands or does not.
type thing struct {
	*world
	name  string
	needs []string
}

func (t thing) Name() string    { return t.name }
func (t thing) Needs() []string { return t.needs }

func (t thing) Observe(_ context.Context, record json.RawMessage) (Standing, error) {
	if t.broken[t.name] {
		return Standing{Unready: "is broken", Record: record}, nil
	}
	return Standing{Gone: !t.stands[t.name], Record: record}, nil
}

func (t thing) Preview(_ context.Context, record json.RawMessage, _ []string) ([]string, error) {
	if record != nil && t.stands[t.name] {
		return nil, nil
	}
	return []string{"create " + t.name}, nil
}

func (t thing) Apply(_ context.Context, _ json.RawMessage) (Outcome, error) {
	t.done = append(t.done, "make "+t.name)
	if t.broken[t.name] {
		return Outcome{}, errors.New("broken")
	}
	t.stands[t.name] = true
	return Outcome{Touched: true, Changed: []string{"create " + t.name}, Record: json.RawMessage(`{}`)}, nil
}

func (t thing) Remove(_ context.Context, _ json.RawMessage) ([]string, error) {
	t.done = append(t.done, "remove "+t.name)
	if t.broken[t.name] {
		return nil, errors.New("broken")
	}
	delete(t.stands, t.name)
	return nil, nil
}

func platform(names ...string) (*world, Assembly) {
	w := &world{stands: map[string]bool{}, broken: map[string]bool{}}
	a := Assembly{Retired: func(name string) Part { return &thing{world: w, name: name} }}
	for i, name := range names {
		part := &thing{world: w, name: name}
		if i > 0 {
			part.needs = []string{names[0]}
		}
		a.Parts = append(a.Parts, part)
	}
	return w, a
}

func names(records Records) (all []string) {
	for _, entry := range records {
		all = append(all, entry.Part)
	}
	return all
}

func check(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestPartsAreMadeInOrderAndRemovedBackwards(t *testing.T) {
	w, a := platform("operator", "cluster", "class")
	out, records, err := a.Apply(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "changed", []string{"create operator", "create cluster", "create class"}, out.Changed)
	lines, err := a.Preview(t.Context(), records)
	if err != nil || len(lines) > 0 {
		t.Errorf("still to do: %v, %v", lines, err)
	}
	w.done = nil
	if _, records, err = a.Remove(t.Context(), records); err != nil || len(records) > 0 {
		t.Errorf("left: %v, %v", records, err)
	}
	check(t, "done", []string{"remove class", "remove cluster", "remove operator"}, w.done)
}

func TestAFailureKeepsBackOnlyWhatNeedsIt(t *testing.T) {
	w, a := platform("operator", "cluster", "other")
	a.Parts[2].(*thing).needs = nil
	w.broken["operator"] = true
	out, records, err := a.Apply(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "operator: broken\ncluster: waits for operator") {
		t.Errorf("err = %v", err)
	}
	check(t, "made", []string{"other"}, names(records))
	check(t, "touched", true, out.Touched)
	w.broken["operator"] = false
	w.done = nil
	if _, records, err = a.Apply(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	check(t, "done", []string{"make operator", "make cluster", "make other"}, w.done)
	check(t, "records", []string{"other", "operator", "cluster"}, names(records))
}

func TestARemovalThatFailsLeavesWhatItNeeds(t *testing.T) {
	w, a := platform("operator", "cluster", "class")
	_, records, _ := a.Apply(t.Context(), nil)
	w.broken["cluster"] = true
	_, records, err := a.Remove(t.Context(), records)
	if err == nil || !w.stands["operator"] || w.stands["class"] {
		t.Errorf("err = %v, stands %v", err, w.stands)
	}
	check(t, "records", []string{"operator", "cluster"}, names(records))
}

func TestWhatIsWantedNoLongerGoes(t *testing.T) {
	w, a := platform("operator", "cluster", "class")
	_, records, _ := a.Apply(t.Context(), nil)
	a.Parts = a.Parts[:1]
	lines, err := a.Preview(t.Context(), records)
	check(t, "plan", []string{"delete class", "delete cluster"}, lines)
	standing, seen, errSeen := a.Observe(t.Context(), records)
	if err := errors.Join(err, errSeen); err != nil || standing.Gone || len(seen) != 3 {
		t.Errorf("%+v, %v, %v", standing, seen, err)
	}
	_, records, err = a.Apply(t.Context(), records)
	if err != nil || !slices.Equal(names(records), []string{"operator"}) || len(w.stands) != 1 {
		t.Errorf("records %v, stands %v, err %v", records, w.stands, err)
	}
	a.Retired = func(string) Part { return nil }
	a.Parts = nil
	if _, err := a.Preview(t.Context(), records); err == nil || !strings.Contains(err.Error(), `"operator"`) {
		t.Errorf("a part that nobody knows: %v", err)
	}
}

func TestObserveSumsUp(t *testing.T) {
	w, a := platform("operator", "cluster", "class")
	_, records, _ := a.Apply(t.Context(), nil)
	delete(w.stands, "class")
	w.broken["cluster"] = true
	standing, now, err := a.Observe(t.Context(), records)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "standing", Standing{Unready: "cluster: is broken", Drift: []string{"class: is gone"}}, standing)
	check(t, "records", []string{"operator", "cluster"}, names(now))
	w.broken["cluster"] = false
	w.stands = map[string]bool{}
	if standing, now, err = a.Observe(t.Context(), records); err != nil || !standing.Gone || len(now) > 0 {
		t.Errorf("%+v, %v, %v", standing, now, err)
	}
}
