package agentlog

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ironworks/models/explain"
)

func TestProbeAgent(t *testing.T) {
	t.Parallel()
	answering := func(status int, text string) string {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	closed, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		address string
		want    explain.Answer
		text    string
	}{
		"an agent":          {answering(200, `{"version":"13.0.0","started_at":1795450520.5}`), explain.AnswerYes, "version 13.0.0, started 2026-11-23"},
		"a hostile one":     {answering(200, `{"version":"\u001b[31m"}`), explain.AnswerYes, "version"},
		"another server":    {answering(200, "<html>"), "", "not an agent's answer"},
		"an error":          {answering(500, ""), "", "HTTP 500"},
		"a closed port":     {"https://" + closed.Addr().String(), explain.AnswerNo, "connection refused at https://127.0.0.1:"},
		"with a password":   {"https://u:p@" + closed.Addr().String(), explain.AnswerNo, "connection refused at https://"},
		"no address at all": {"::", "", "no answer"},
	}
	_ = closed.Close() // after the other servers have their ports
	for name, tt := range tests {
		got := ProbeAgent(t.Context(), tt.address)
		if got.Answers != tt.want || !strings.Contains(got.Text, tt.text) || strings.ContainsAny(got.Text, "\x1b") || strings.Contains(got.Text, "u:p@") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
