package models

import (
	"slices"
	"testing"
	"time"
)

func TestAttention(t *testing.T) {
	t.Parallel()
	now := time.Unix(100_000, 0)
	ago := func(d time.Duration) Time { return Time{now.Add(-d)} }
	waits := func(since, beat time.Duration) Row {
		r := Row{Node: Node{ProvisionState: StateDeployWait, Internal: &Internal{}}, Since: now.Add(-since)}
		if beat > 0 {
			r.Node.Internal.AgentURL, r.Node.Internal.LastHeartbeat = "https://a", ago(beat)
		}
		return r
	}
	of := func(n Node) Row { return Row{Node: n} }
	reboots := waits(time.Hour, 20*time.Minute)
	reboots.Node.Internal.CleanReboot = true
	tooLong := waits(time.Hour, 31*time.Minute)
	tooLong.Node.Internal.DeployPolling = true
	// The most urgent rows come first. Rows on the same line are equally urgent.
	order := [][]Row{
		{of(Node{ProvisionState: StateCleanFailed}), of(Node{ProvisionState: StateActive, Fault: "power failure"}), of(Node{ProvisionState: StateCleanFailed, Maintenance: true, Fault: "clean failure"}), of(Node{ProvisionState: StateError}), of(Node{ProvisionState: StateEnroll, LastError: "no BMC"})},
		{of(Node{ProvisionState: StateDeployFailed, Maintenance: true, MaintenanceReason: "mine"})},
		{of(Node{ProvisionState: StateDeployHold}), of(Node{ProvisionState: StateDeployHold, Maintenance: true})},
		{of(Node{ProvisionState: StateActive, Maintenance: true}), of(Node{ProvisionState: StateDeployWait, Maintenance: true})},
		{waits(time.Hour, 7*time.Minute), waits(11*time.Minute, 0), tooLong, of(Node{ProvisionState: StateCleanWait, ProvisionUpdatedAt: ago(11 * time.Minute)})},
		{waits(time.Hour, 5*time.Minute), waits(9*time.Minute, 0), reboots, of(Node{ProvisionState: StateDeployWait}), of(Node{ProvisionState: StateDeployWait, ProvisionUpdatedAt: ago(time.Minute)})},
		{of(Node{ProvisionState: StateDeploying}), of(Node{ProvisionState: "pondering"})},
		{of(Node{ProvisionState: StateEnroll})},
		{of(Node{ProvisionState: StateAvailable})},
		{of(Node{ProvisionState: StateActive})},
	}
	last := -1
	for i, alike := range order {
		for j := range alike {
			rank := Attention(&alike[j], now)
			if rank <= last || rank != Attention(&alike[0], now) {
				t.Errorf("%d, %d: rank %d of %q, after one of %d", i, j, rank, alike[j].Node.ProvisionState, last)
			}
		}
		last = Attention(&alike[0], now)
	}
}

// TestAttentionIsStill checks that a node's rank changes over time only when the node becomes overdue.
func TestAttentionIsStill(t *testing.T) {
	t.Parallel()
	now := time.Unix(100_000, 0)
	rows := randomRows(300)
	for i, r := range rows {
		r.Since = now.Add(-time.Duration(i) * 7 * time.Second)
		if i%3 == 0 {
			r.Node.Internal = &Internal{AgentURL: "https://a", LastHeartbeat: Time{r.Since}}
		}
	}
	by, err := FindColumn(plainColumns(), "state")
	if err != nil {
		t.Fatal(err)
	}
	SortRows(rows, by.At(now), false)
	order, moved := uuids(rows), 0
	for s := range 1200 {
		at := now.Add(time.Duration(s) * time.Second)
		late := slices.ContainsFunc(rows, func(r *Row) bool {
			return Attention(r, at) != Attention(r, at.Add(-time.Second))
		})
		SortRows(rows, by.At(at), false)
		if got := uuids(rows); !slices.Equal(got, order) {
			order = got
			if moved++; !late && s > 0 {
				t.Fatalf("after %d s the order is another one, and no node is overdue", s)
			}
		}
	}
	if moved == 0 || moved > 150 {
		t.Errorf("the order changed %d times", moved)
	}
}
