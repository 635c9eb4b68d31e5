package lab_test

import (
	"testing"
	"time"

	"ironworks/ironicclient"
	"ironworks/lab"
	"ironworks/models"
)

// TestManyMachinesAreEnrolledInTheirOrder checks that a lab of many machines enrolls a node with ports for each
// machine, in the order of the machines.
func TestManyMachinesAreEnrolledInTheirOrder(t *testing.T) {
	t.Parallel()
	const machines = 300
	s := site(t, lab.SiteOptions{Members: lab.Cast(machines)})
	client, err := ironicclient.New(models.Connection{Endpoint: s.URL}, ironicclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	var names []string
	var last string
	for deadline := time.Now().Add(time.Minute); len(names) < machines; {
		if time.Now().After(deadline) {
			t.Fatalf("%d nodes", len(names))
		}
		page, err := client.NodePage(t.Context(), ironicclient.NodeQuery{})
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for _, n := range page.Nodes {
			names, last = append(names, n.Name), n.UUID
		}
	}
	for i, m := range s.Lab.Machines() {
		if names[i] != m.Name() {
			t.Fatalf("node %d is %s, want %s", i, names[i], m.Name())
		}
	}
	for deadline := time.Now().Add(time.Minute); ; {
		ports, err := client.Ports(t.Context(), last)
		if err != nil {
			t.Fatal(err)
		}
		if len(ports) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the last node has %d ports", len(ports))
		}
	}
}
