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
)

// How often the agent is asked whether it is there.
const (
	statusPause = 10 * time.Second
	statusTime  = 5 * time.Second
)

// statusSource asks the agent for a sign of life while no better source works.
type statusSource struct {
	joint *joint
	out   *outlet
	last  string // the line that was given last
}

// follow asks every ten seconds.
func (s *statusSource) follow(ctx context.Context) {
	client := agentClient()
	defer client.CloseIdleConnections()
	if !s.joint.options.Once && !wait(ctx, 2*time.Second) { // the others have their chance
		return
	}
	for {
		s.ask(ctx, client)
		if s.joint.options.Once {
			s.out.status(ctx, Status{State: StateEnded})
			return
		}
		if !wait(ctx, statusPause) {
			return
		}
	}
}

func (s *statusSource) ask(ctx context.Context, client *http.Client) {
	if s.out.othersWork() {
		s.out.status(ctx, Status{State: StateWaiting, Why: "it is asked only while no better source works"})
		return
	}
	address := s.joint.options.Address(s.joint.node)
	if hostOf(address) == "" || !strings.Contains(address, "://") {
		s.out.status(ctx, Status{State: StateWaiting, Why: noAddress, WayOut: noAddressWayOut})
		return
	}
	answer, err := askAgent(ctx, client, address)
	if ctx.Err() != nil {
		return
	}
	shown := models.Printable(models.MaskURL(address))
	if err != nil {
		s.line(ctx, models.LogWarning, "the agent does not answer: "+agentFault(err))
		s.out.status(ctx, Status{
			State: StateConnecting, Address: shown, Why: agentFault(err),
			WayOut: "is the machine on, and is its network reached from here? The conductor may still reach it",
		})
		return
	}
	s.line(ctx, models.LogInfo, answer)
	// It is no log: others may go on trying, and it goes on being asked.
	s.out.status(ctx, Status{State: StateFollowing, Address: shown, Why: "a sign of life and no log; the agent's own certificate is not verified"})
}

// line gives a line when it is news.
func (s *statusSource) line(ctx context.Context, level models.LogLevel, text string) {
	if text == s.last {
		return
	}
	s.last = text
	var m masker
	s.out.lines(ctx, []models.LogLine{{
		Received: s.joint.options.Now(), Node: s.joint.node, Source: models.LogStatus, Unit: "status", Level: level,
		Text: short(models.Printable(m.line(text)), maxText),
	}})
}

// agentClient asks agents: they have certificates that they made themselves, and nothing
// secret is asked or sent.
func agentClient() *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true} //nolint:gosec // it says so
	return &http.Client{Transport: transport, Timeout: statusTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// AskAgent asks the agent at an address, as Ironic has it, whether it is there; that takes 5 s
// at most.
func AskAgent(ctx context.Context, address string) explain.AgentFacts {
	client := agentClient()
	defer client.CloseIdleConnections()
	answer, err := askAgent(ctx, client, address)
	var m masker
	switch {
	case err == nil:
		return explain.AgentFacts{Answers: explain.AnswerYes, Text: models.Printable(m.line(answer))}
	case errors.Is(err, syscall.ECONNREFUSED):
		return explain.AgentFacts{Answers: explain.AnswerNo, Text: "connection refused at " + models.Printable(models.MaskURL(address))}
	}
	return explain.AgentFacts{Text: "no answer: " + agentFault(err)}
}

var errNoAgent = errors.New("what answers is not the agent")

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
		StartedAt json.RawMessage `json:"started_at"` // a number in all releases that are known
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
		return "nothing listens there"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "there is no route to it"
	case timedOut(err):
		return "no answer in time"
	}
	return "the connection broke"
}
