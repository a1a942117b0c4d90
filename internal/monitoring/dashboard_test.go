// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// board is what the tests read of a dashboard.
type board struct {
	UID           string `json:"uid"`
	Title         string `json:"title"`
	SchemaVersion int    `json:"schemaVersion"`
	Templating    struct {
		List []struct {
			Name, Type string
			Query      any
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
	Panels []panel `json:"panels"`
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               struct{ Type, UID string }
	FieldConfig              struct {
		Defaults struct {
			Unit       string
			Thresholds struct{ Steps []any }
		}
	}
	Targets []struct {
		RefID, Expr string
		Datasource  struct{ Type, UID string }
	}
}

func boards(t *testing.T) map[string]board {
	t.Helper()
	all := map[string]board{}
	for name, data := range Dashboards() {
		var one board
		if err := json.Unmarshal(data, &one); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = one
	}
	return all
}

// filledIn puts something that fits everything in the place of a dashboard's variables.
func filledIn(b board, query string) string {
	for _, variable := range b.Templating.List {
		query = strings.ReplaceAll(query, "$"+variable.Name, ".+")
	}
	return query
}

func TestDashboardsAreThere(t *testing.T) {
	want := []string{"fleet", "node", "queue", "storage", "team"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(Dashboards()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDashboardsAreComplete(t *testing.T) {
	for name, board := range boards(t) {
		t.Run(name, func(t *testing.T) {
			if board.UID != "trainyard-"+name || board.Title == "" || board.SchemaVersion < 39 {
				t.Errorf("uid %q, title %q, schema version %d", board.UID, board.Title, board.SchemaVersion)
			}
			if first := board.Templating.List[0]; first.Name != "datasource" || first.Type != "datasource" || first.Query != "prometheus" {
				t.Errorf("the first variable picks the Prometheus, got %v", first)
			}
			ids := map[int]bool{}
			for _, panel := range board.Panels {
				if ids[panel.ID] {
					t.Errorf("two panels have the id %d", panel.ID)
				}
				ids[panel.ID] = true
				panel.check(t, board)
			}
		})
	}
}

func (p panel) check(t *testing.T, b board) {
	t.Helper()
	if p.Type == "row" {
		return
	}
	defaults := p.FieldConfig.Defaults
	if p.Title == "" || p.Description == "" || defaults.Unit == "" || len(defaults.Thresholds.Steps) == 0 || len(p.Targets) == 0 {
		t.Errorf("panel %d, %q, lacks a title, a description, a unit, thresholds or a query", p.ID, p.Title)
	}
	for _, target := range p.Targets {
		if target.Datasource.UID != "${datasource}" || p.Datasource.UID != "${datasource}" {
			t.Errorf("%q asks the source %q", p.Title, target.Datasource.UID)
		}
		if rest := filledIn(b, target.Expr); strings.Contains(rest, "$") {
			t.Errorf("%q uses a variable that is not there: %s", p.Title, target.Expr)
		}
	}
}

func TestPanelsFillTheirRows(t *testing.T) {
	for name, board := range boards(t) {
		t.Run(name, func(t *testing.T) {
			covered := map[[2]int]string{}
			bottom := 0
			for _, p := range board.Panels {
				at := p.GridPos
				bottom = max(bottom, at.Y+at.H)
				for x := at.X; x < at.X+at.W; x++ {
					for y := at.Y; y < at.Y+at.H; y++ {
						if other, taken := covered[[2]int{x, y}]; taken {
							t.Fatalf("%q lies over %q", p.Title, other)
						}
						covered[[2]int{x, y}] = p.Title
					}
				}
			}
			if len(covered) != 24*bottom {
				t.Errorf("%d of %d squares are covered", len(covered), 24*bottom)
			}
		})
	}
}
