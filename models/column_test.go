package models

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestCompareNatural(t *testing.T) {
	t.Parallel()
	// The strings are in ascending order. Each pair is compared in both directions.
	order := []string{
		"", "1", "01x", "2", "10", "a", "N1", "n01", "n1", "n2", "n2a", "n10", "n10b1", "n10b02", "n10b10",
		"n18446744073709551616", "n99999999999999999999999", "node", "node-1", "Node1", "é",
	}
	for i, a := range order {
		for j, b := range order {
			got := compareNatural(a, b)
			if (i < j) != (got < 0) || (i == j) != (got == 0) {
				t.Errorf("CompareNatural(%q, %q) = %d", a, b, got)
			}
		}
	}
}

func randomRows(n int) []*Row {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]*Row, n)
	states := States()
	for i := range rows {
		rows[i] = &Row{
			Node: Node{
				UUID: fmt.Sprintf("%08x-0000-4000-8000-%012x", rng.Uint32(), i), Name: fmt.Sprintf("n%d", rng.IntN(n)),
				ProvisionState: states[rng.IntN(len(states))], PowerState: []PowerState{PowerOn, PowerOff, ""}[rng.IntN(3)],
				ResourceClass: fmt.Sprintf("gp-%dx", rng.IntN(12)), Maintenance: rng.IntN(20) == 0, Driver: "redfish",
				LastError: strings.Repeat("x", rng.IntN(4)),
			},
			Since: time.Unix(int64(rng.IntN(100)), 0),
		}
	}
	return rows
}

func shuffled(rows []*Row) []*Row {
	out := slices.Clone(rows)
	rng := rand.New(rand.NewPCG(3, 4))
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func uuids(rows []*Row) []string {
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = rows[i].Node.UUID
	}
	return out
}

// plainColumns returns all columns, with an empty STEP column.
func plainColumns() []Column { return Columns(func(*Row, time.Time) string { return "" }) }

func TestSortIsDeterministic(t *testing.T) {
	t.Parallel()
	all := randomRows(10_000)
	for _, c := range plainColumns() {
		rows := all
		if c.Key != "state" && c.Key != "name" {
			rows = all[:1000]
		}
		for _, descending := range []bool{false, true} {
			a, b := slices.Clone(rows), shuffled(rows)
			SortRows(a, c, descending)
			SortRows(b, c, descending)
			if !slices.Equal(uuids(a), uuids(b)) {
				t.Errorf("by %s (descending %v): the order depends on the order before", c.Key, descending)
			}
			got := uuids(a)
			slices.Sort(got)
			if want := slices.Sorted(slices.Values(uuids(rows))); !slices.Equal(got, want) {
				t.Errorf("by %s: rows were lost or doubled", c.Key)
			}
		}
	}
}

func TestSortRows(t *testing.T) {
	t.Parallel()
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	row := func(name, class string, s ProvisionState, since int64) *Row {
		return &Row{Node: Node{Name: name, UUID: "u-" + name, ResourceClass: class, ProvisionState: s}, Since: at(since)}
	}
	rows := []*Row{
		row("n10", "b", StateActive, 30), row("n9", "a", StateDeployFailed, 10), row("", "a", StateDeployWait, 20),
		row("n1", "b", StateDeployHold, 40),
	}
	tests := map[string]struct {
		column     string
		descending bool
		want       string
	}{
		"name, by number":          {"name", false, "n1 n9 n10 u-"},
		"name, down":               {"name", true, "u- n10 n9 n1"},
		"state, by attention":      {"state", false, "n9 n1 u- n10"},
		"state, down":              {"state", true, "n10 u- n1 n9"},
		"class, ties by name":      {"class", false, "u- n9 n1 n10"},
		"class, down, ties not":    {"class", true, "n1 n10 u- n9"},
		"age, youngest first":      {"age", false, "n1 n10 u- n9"},
		"age, oldest first":        {"age", true, "n9 u- n10 n1"},
		"nothing to tell apart by": {"owner", true, "u- n1 n9 n10"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := FindColumn(plainColumns(), tt.column)
			if err != nil {
				t.Fatal(err)
			}
			mine := slices.Clone(rows)
			SortRows(mine, c, tt.descending)
			var got []string
			for i := range mine {
				got = append(got, mine[i].Node.Label())
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("%s, want %s", s, tt.want)
			}
		})
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	now := time.Unix(10_000, 0)
	tests := map[string]struct {
		row    Row
		column string
		want   string
	}{
		"state at rest":           {Row{Node: Node{ProvisionState: StateActive, TargetProvisionState: StateActive}}, "state", "active"},
		"state on its way":        {Row{Node: Node{ProvisionState: StateDeploying, TargetProvisionState: StateActive}}, "state", "deploying → active"},
		"state without a target":  {Row{Node: Node{ProvisionState: StateDeploying}}, "state", "deploying"},
		"failed keeps its target": {Row{Node: Node{ProvisionState: StateDeployFailed, TargetProvisionState: StateActive}}, "state", "deploy failed"},
		"age":                     {Row{Since: now.Add(-134 * time.Second)}, "age", "2m14"},
		"age, at least":           {Row{FirstSeen: now.Add(-41 * time.Second)}, "age", "≥41s"},
		"age, by Ironic":          {Row{FirstSeen: now.Add(-41 * time.Second), Node: Node{ProvisionUpdatedAt: Time{now.Add(-26 * time.Minute)}}}, "age", "≥26m00"},
		"age, in a single list":   {Row{Node: Node{ProvisionUpdatedAt: Time{now.Add(-50 * time.Hour)}}}, "age", "≥2d"},
		"age, after a heartbeat":  {Row{FirstSeen: now.Add(-41 * time.Second), Node: Node{ProvisionUpdatedAt: Time{now}}}, "age", "≥41s"},
		"age, seen to begin":      {Row{Since: now.Add(-5 * time.Second), FirstSeen: now.Add(-time.Hour), Node: Node{ProvisionUpdatedAt: Time{now}}}, "age", "5s"},
		"age, unknown":            {Row{}, "age", ""},
		"power unknown":           {Row{}, "power", "?"},
		"maintenance":             {Row{Node: Node{Maintenance: true}}, "maintenance", "yes"},
		"no maintenance":          {Row{}, "maintenance", ""},
		"traits":                  {Row{Node: Node{Traits: []string{"A", "B"}}}, "traits", "A,B"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := FindColumn(plainColumns(), tt.column)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Text(&tt.row, now); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestColumns checks that every column accepts an empty row, and that the additional API field of a column is never
// one of [ListFields], which are requested anyway.
func TestColumns(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range plainColumns() {
		if c.Key == "" || c.Title == "" || seen[c.Key] {
			t.Errorf("column %q %q", c.Key, c.Title)
		}
		seen[c.Key] = true
		_ = c.Text(&Row{}, time.Time{})
		if slices.Contains(ListFields(), c.Field) {
			t.Errorf("column %s asks for %s, which every list has", c.Key, c.Field)
		}
	}
	if _, err := FindColumn(plainColumns(), "colour\x1b"); err == nil || !strings.Contains(err.Error(), `"colour\x1b"; available: name,`) {
		t.Errorf("%v", err)
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 41 * time.Second: "41s", 59_600 * time.Millisecond: "59s", 119_900 * time.Millisecond: "1m59", 134 * time.Second: "2m14",
		185 * time.Minute: "3h05", 47*time.Hour + 59*time.Minute: "47h59", 48 * time.Hour: "2d", 300 * time.Hour: "12d",
	} {
		if got := Age(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// TestAgeInStateIsTrue checks that ages are rounded down to the displayed unit.
func TestAgeInStateIsTrue(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for d := time.Duration(0); d < 60*time.Hour; d += 7777 * time.Millisecond {
		for _, state := range []ProvisionState{StateActive, StateDeployWait} {
			row := Row{Since: now.Add(-d), Node: Node{ProvisionState: state}}
			text := AgeInState(&row, now)
			low, unit := readAge(t, text)
			if d < low || d >= low+unit {
				t.Fatalf("%v in %s is %s", d, state, text)
			}
			row = Row{Node: Node{ProvisionState: state, ProvisionUpdatedAt: Time{now.Add(-d)}}}
			if got := AgeInState(&row, now); got != "≥"+text {
				t.Fatalf("%v since Ironic's own time is %s, want ≥%s", d, got, text)
			}
		}
	}
	for d, want := range map[time.Duration]string{5 * time.Second: "5s", 26 * time.Minute: "26m", 119 * time.Minute: "1h", 47 * time.Hour: "47h", 49 * time.Hour: "2d"} {
		row := Row{Since: now.Add(-d), Node: Node{ProvisionState: StateActive}}
		if got := AgeInState(&row, now); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// readAge parses a duration such as 2m14. It also returns the smallest unit in it.
func readAge(t *testing.T, text string) (d, unit time.Duration) {
	t.Helper()
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	lesser := map[string]string{"m": "s", "h": "m"}
	i := strings.IndexAny(text, "smhd")
	n, err := strconv.Atoi(text[:i])
	if err != nil {
		t.Fatal(text)
	}
	name := text[i : i+1]
	d, unit = time.Duration(n)*units[name], units[name]
	if rest := text[i+1:]; rest != "" {
		n, err := strconv.Atoi(rest)
		if err != nil {
			t.Fatal(text)
		}
		unit = units[lesser[name]]
		d += time.Duration(n) * unit
	}
	return d, unit
}

// TestSortAllocates checks that comparing rows does not allocate.
func TestSortAllocates(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counts differ under coverage")
	}
	rows := randomRows(1000)
	for _, key := range []string{"state", "class", "name", "age"} {
		c, _ := FindColumn(plainColumns(), key)
		mine := slices.Clone(rows)
		if got := testing.AllocsPerRun(5, func() { SortRows(mine, c, false) }); got > 10 {
			t.Errorf("by %s: %.0f allocations for 1000 rows", key, got)
		}
	}
}

func BenchmarkSortRows(b *testing.B) {
	rows := randomRows(10_000)
	for _, key := range []string{"state", "name", "class", "age"} {
		c, err := FindColumn(plainColumns(), key)
		if err != nil {
			b.Fatal(err)
		}
		mine := make([]*Row, len(rows))
		b.Run(key, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(mine, rows)
				SortRows(mine, c, false)
			}
		})
	}
}

func TestDiskColumn(t *testing.T) {
	t.Parallel()
	c, err := FindColumn(plainColumns(), "disk")
	if err != nil {
		t.Fatal(err)
	}
	for want, properties := range map[string]map[string]any{
		"":                  {"cpus": 4},
		"894G":              {"local_gb": 894},
		"447G":              {"local_gb": "447"},
		"/dev/nvme0n1 894G": {"local_gb": 894, "root_device": map[string]any{"name": "/dev/nvme0n1", "wwn": "0x5"}},
		"0x5000c5":          {"root_device": map[string]any{"wwn": "0x5000c5", "size": ">= 60"}, "local_gb": nil},
		">= 60":             {"root_device": map[string]any{"size": ">= 60"}},
		"s== PHLJ1":         {"root_device": map[string]any{"serial": "s== PHLJ1", "rotational": false}},
	} {
		if got := c.Text(&Row{Node: Node{Properties: properties}}, time.Time{}); got != want {
			t.Errorf("%v: %q, want %q", properties, got, want)
		}
	}
	if got := c.Text(&Row{Node: Node{Properties: map[string]any{"root_device": "nonsense"}}}, time.Time{}); got != "" {
		t.Errorf("%q", got)
	}
}

// BenchmarkAttention measures sorting 10 000 nodes by attention.
func BenchmarkAttention(b *testing.B) {
	rows := randomRows(10_000)
	by, _ := FindColumn(plainColumns(), "state")
	for b.Loop() {
		SortRows(rows, by.At(time.Unix(1000, 0)), false)
	}
}

// TestSortByAgeOfFarTimes checks that rows are sorted by time for any year, because an API may send any year.
func TestSortByAgeOfFarTimes(t *testing.T) {
	t.Parallel()
	by, err := FindColumn(plainColumns(), "age")
	if err != nil {
		t.Fatal(err)
	}
	var rows []*Row
	for _, year := range []int{1700, 9999, 2026, 2300} {
		rows = append(rows, &Row{Node: Node{UUID: strconv.Itoa(year)}, Since: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)})
	}
	rows = append(rows, &Row{Node: Node{UUID: "unknown"}})
	SortRows(rows, by, false)
	if got, want := uuids(rows), []string{"9999", "2300", "2026", "1700", "unknown"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
