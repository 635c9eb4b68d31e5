package weather_test

import (
	"net"
	"testing"
	"time"

	"ironworks/test/weather"
)

// TestUpAwaitsPort checks that a proxy listens again although another listener holds its port for a moment.
func TestUpAwaitsPort(t *testing.T) {
	p := weather.Start(t, "http://127.0.0.1:1")
	p.Down()
	other, err := new(net.ListenConfig).Listen(t.Context(), "tcp", p.Host)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = other.Close() })
	if err := p.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
}
