package agent

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"
)

// slowMetal collects its inventory only after Ironic has received a request.
type slowMetal struct {
	*metal
	asked <-chan struct{}
}

func (m slowMetal) Inventory(ctx context.Context) (Inventory, error) {
	select {
	case <-m.asked:
		return m.metal.Inventory(ctx)
	case <-time.After(20 * time.Second):
		return Inventory{}, errors.New("no request came while the inventory was collected")
	}
}

// countingTransport calls the function in its first field before it sends a request.
type countingTransport struct {
	*http.Transport
	first func()
}

func (c countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.first()
	return c.Transport.RoundTrip(r)
}

// TestFirstRequestDoesNotWait checks that the agent requests Ironic's release while the inventory is still being
// collected. Waiting for LLDP frames can make this collection slow.
func TestFirstRequestDoesNotWait(t *testing.T) {
	c, asked := newConductor(t), make(chan struct{})
	m := newMetal()
	ctx, cancel := context.WithCancel(t.Context())
	transport := countingTransport{&http.Transport{}, sync.OnceFunc(func() { close(asked) })}
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{
			IronicURL: c.server.URL, Client: &http.Client{Transport: transport}, Hardware: slowMetal{m, asked}, Speed: 50, MatchIronic: true,
		})
	}()
	select {
	case <-c.beat:
	case err := <-done:
		t.Fatalf("the agent ended: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("no heartbeat came")
	}
	cancel()
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
	transport.CloseIdleConnections()
}
