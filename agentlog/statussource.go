package agentlog

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
)

// statusPause is the interval at which the agent's status is requested, and statusTime is the timeout of a request.
const (
	statusPause = 10 * time.Second
	statusTime  = 5 * time.Second
)

type statusSource struct {
	*sourceOutput
	last string // the text of the last line
}

// follow requests the status every ten seconds until ctx is canceled.
func (s *statusSource) follow(ctx context.Context) {
	client := agentClient()
	defer client.CloseIdleConnections()
	if !s.follower.options.Once && !wait(ctx, 2*time.Second) { // give the other sources a chance
		return
	}
	for {
		s.ask(ctx, client)
		if s.follower.options.Once {
			s.status(ctx, Status{State: StateEnded})
			return
		}
		if !wait(ctx, statusPause) {
			return
		}
	}
}

func (s *statusSource) ask(ctx context.Context, client *http.Client) {
	if s.othersWork() {
		s.status(ctx, Status{State: StateWaiting, Reason: "on standby: used only while no better source works"})
		return
	}
	address := s.follower.options.Address(s.follower.node)
	if HostOf(address) == "" || !strings.Contains(address, "://") {
		s.status(ctx, Status{State: StateWaiting, Reason: noAddress, Remedy: noAddressWayOut})
		return
	}
	answer, err := askAgent(ctx, client, address)
	if ctx.Err() != nil {
		return
	}
	shown := printable.Line(models.MaskURL(address))
	if err != nil {
		s.line(ctx, models.LogWarning, "no answer from the agent: "+agentFault(err))
		s.status(ctx, Status{
			State: StateConnecting, Address: shown, Reason: agentFault(err),
			Remedy: "check that the machine is on and that this console can reach its network; the conductor may still be able to reach the machine",
		})
		return
	}
	s.line(ctx, models.LogInfo, answer)
	// The agent's status is not a log, so it does not stop the other sources from retrying.
	s.status(ctx, Status{State: StateFollowing, Address: shown, Reason: "agent status only, no log; its certificate is not verified"})
}

func (s *statusSource) line(ctx context.Context, level models.LogLevel, text string) {
	if text == s.last {
		return
	}
	s.last = text
	var m masker
	s.lines(ctx, []models.LogLine{{
		Received: time.Now(), Node: s.follower.node, Source: models.LogStatus, Unit: "status", Level: level,
		Text: truncate(printable.Line(m.line(text)), maxText),
	}})
}

// agentClient returns an HTTP client for agents that does not verify certificates, as it handles no secrets.
func agentClient() *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true} //nolint:gosec // the status says so
	return &http.Client{Transport: transport, Timeout: statusTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ProbeAgent requests the status of the agent at the given address (as in agent_url). It takes at most 5 s.
func ProbeAgent(ctx context.Context, address string) explain.AgentFacts {
	client := agentClient()
	defer client.CloseIdleConnections()
	answer, err := askAgent(ctx, client, address)
	var m masker
	switch {
	case err == nil:
		return explain.AgentFacts{Answers: explain.AnswerYes, Text: printable.Line(m.line(answer))}
	case errors.Is(err, syscall.ECONNREFUSED):
		return explain.AgentFacts{Answers: explain.AnswerNo, Text: "connection refused at " + printable.Line(models.MaskURL(address))}
	}
	return explain.AgentFacts{Text: "no answer: " + agentFault(err)}
}

var errNoAgent = errors.New("not an agent's answer")

func askAgent(ctx context.Context, client *http.Client, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", errNoAgent
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+"/v1/status", http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%w: HTTP %d", errNoAgent, response.StatusCode)
	}
	var status struct {
		Version   string          `json:"version"`
		StartedAt json.RawMessage `json:"started_at"` // a number in all known releases
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&status); err != nil {
		return "", errNoAgent
	}
	text := "the agent answers"
	if status.Version != "" {
		text += ", version " + status.Version
	}
	if at, err := strconv.ParseFloat(string(status.StartedAt), 64); err == nil && at > 0 && at < 1e11 {
		text += ", started " + time.Unix(int64(at), 0).UTC().Format(time.RFC3339)
	}
	return text, nil
}

func agentFault(err error) string {
	switch {
	case errors.Is(err, errNoAgent):
		return err.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to host"
	case timedOut(err):
		return "timed out"
	}
	return "connection lost"
}
