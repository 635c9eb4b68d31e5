package machine

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"
)

// serveT serves the rack over HTTP, or over HTTPS if secure is set. It returns the server's URL and a client that
// trusts the server.
func serveT(t *testing.T, r *Rack, secure bool) (string, *http.Client) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	transport := &http.Transport{}
	address := "http://" + listener.Addr().String()
	if secure {
		certificate, err := NewCertificate(time.Now(), "127.0.0.1", "localhost")
		if err != nil {
			t.Fatal(err)
		}
		address = "https://" + listener.Addr().String()
		transport.TLSClientConfig = trusting(certificate)
		go func() { ended <- r.ServeTLS(ctx, listener, certificate) }()
	} else {
		go func() { ended <- r.Serve(ctx, listener) }()
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return address, &http.Client{Transport: transport}
}

func TestServe(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(map[bool]string{false: "HTTP", true: "HTTPS"}[secure], func(t *testing.T) {
			address, client := serveT(t, rackT(t, machineT(t, spec(), Options{})), secure)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+root+"/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			if err != nil || !strings.Contains(string(body), "RootService") {
				t.Errorf("status %d, error %v: %s", response.StatusCode, err, body)
			}
		})
	}
}

// TestServeEndsWhileStalling checks that the service ends even while a machine delays a response.
func TestServeEndsWhileStalling(t *testing.T) {
	m := machineT(t, spec(), Options{})
	m.SetFaults(Faults{Stall: time.Hour})
	asked, answered := make(chan struct{}), make(chan error, 1)
	t.Cleanup(func() { // runs after the service has ended
		if err := <-answered; err == nil {
			t.Error("answered")
		}
	})
	address, client := serveT(t, rackT(t, m), false)
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { close(asked) },
	})
	go func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+sessionsPath, strings.NewReader("{}"))
		if err == nil {
			var response *http.Response
			if response, err = client.Do(request); err == nil {
				_ = response.Body.Close()
			}
		}
		answered <- err
	}()
	<-asked
}
