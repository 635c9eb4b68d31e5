package agentlog_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ironworks/agentlog"
)

// BenchmarkPush measures the speed of pushes of 500 lines from one machine. It includes TLS and storage on disk.
func BenchmarkPush(b *testing.B) {
	receiver, err := agentlog.NewReceiver(agentlog.PushOptions{
		Dir: b.TempDir(), Limits: agentlog.PushLimits{Rate: 1 << 40},
		Owner: func(context.Context, agentlog.Sender) (agentlog.Owner, error) {
			return agentlog.Owner{Node: firstNode}, nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	identity, err := receiver.Images().Make(agentlog.IdentityOrder{Push: true})
	if err != nil {
		b.Fatal(err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- receiver.Serve(ctx, listener) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}()
	client := pushClient(b, identity)
	defer client.CloseIdleConnections()
	const lines = 500
	sent, after := 0, "none"
	began := time.Now()
	for b.Loop() {
		var body strings.Builder
		for range lines {
			sent++
			body.WriteString(pushedLine(sent, fmt.Sprintf("2026-11-22 14:02:11.123 1 INFO ironic_python_agent.agent [-] line %d", sent)))
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+listener.Addr().String()+"/v1/journal", strings.NewReader(body.String()))
		if err != nil {
			b.Fatal(err)
		}
		for header, value := range map[string]string{
			"Authorization": "Bearer " + identity.Token.Reveal(), "Ironworks-Macs": firstMAC, "Ironworks-Boot": pushBoot, "Ironworks-After": after,
		} {
			request.Header.Set(header, value)
		}
		response, err := client.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			b.Fatal(response.Status)
		}
		after = fmt.Sprintf("i=%d", sent)
	}
	b.ReportMetric(float64(sent)/time.Since(began).Seconds(), "lines/s")
}
