package embedded_test

import (
	"context"
	"flag"
	"net"
	"net/http"
	"testing"
	"time"

	"ironworks/lab/api"
	"ironworks/lab/conductor"
	"ironworks/lab/db"
	"ironworks/test/contract"
	"ironworks/test/contract/machines"
)

func TestMain(m *testing.M) { contract.Main(m, 100) }

// TestEmbedded runs all behaviors against the embedded Ironic.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	s := startEmbedded(t)
	contract.Run(t, s)
}

// TestMachines runs all behaviors of nodes with a machine.
func TestMachines(t *testing.T) {
	t.Parallel()
	all := contract.OnMachines()
	if ran := machines.Run(t, startEmbedded(t), all); ran != len(all) && flag.Lookup("test.run").Value.String() == "" {
		t.Errorf("%d behaviors ran, want %d", ran, len(all))
	}
}

// startEmbedded starts an embedded Ironic that is configured like the real ones and stops when the test ends.
func startEmbedded(t *testing.T) *contract.Subject {
	t.Helper()
	images := listen(t)
	tables := db.New(time.Now)
	c, err := conductor.New(conductor.Options{
		Tables: tables, HTTPURL: "http://" + images.Addr().String(), LogsCollect: "always",
		Enabled: map[string][]string{"bios": {"fake", "no-bios", "redfish"}, "firmware": {"no-firmware", "fake", "redfish"}},
		Periods: conductor.Periods{PowerSync: -1, Provision: 2 * time.Second, Rescue: 2 * time.Second},
		Limits:  conductor.Limits{Deploy: 100000, Clean: 100000, SoftPowerTries: 20, BMCConnections: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the conductor ended: %v", err)
		}
	})
	serve(t, images, c.Images())
	listener := listen(t)
	serve(t, listener, api.New(tables, c))
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	change := func(tb testing.TB, uuid string, change func(n *db.Node)) {
		tb.Helper()
		_, err := tables.Nodes.Touch(uuid, func(n *db.Node) error {
			change(n)
			return nil
		})
		if err != nil {
			tb.Fatalf("setting a node: %v", err)
		}
	}
	return &contract.Subject{
		Name: "embedded", Kind: contract.Embedded, URL: "http://" + listener.Addr().String(), MaxMinor: 115,
		Client: &http.Client{Transport: transport, Timeout: time.Minute},
		SetState: func(tb testing.TB, uuid, provisionState, targetState string) {
			tb.Helper()
			change(tb, uuid, func(n *db.Node) { n.ProvisionState, n.TargetProvisionState = provisionState, targetState })
		},
		Reserve: func(tb testing.TB, uuid, host string) {
			tb.Helper()
			change(tb, uuid, func(n *db.Node) { n.Reservation = host })
		},
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func serve(t *testing.T, listener net.Listener, handler http.Handler) {
	t.Helper()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
}
