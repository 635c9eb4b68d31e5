package machine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	// agentAPI is the API version that the real agent speaks.
	agentAPI = "1.68"
	// agentVersion is what it says it is.
	agentVersion = "13.0.0"
	// retryAfter is the pause after a refused call. The real agent waits
	// longer, which a test has no use for.
	retryAfter = 500 * time.Millisecond
	// heartbeatEvery is the pause between heartbeats; a node that is locked
	// ignores them, so they are frequent.
	heartbeatEvery = 2 * time.Second
)

// agent is the ramdisk during one boot.
type agent struct {
	machine *Machine
	ctx     context.Context //nolint:containedctx // from power-on to power-off
	url     string
	node    string
	token   string
	beat    chan struct{} // asks for a heartbeat now

	mu       sync.Mutex
	commands []*command
}

// runAgent is the machine running the medium, until the power goes.
func (m *Machine) runAgent(ctx context.Context, image string) {
	if !after(ctx, m.options.BootDuration) {
		return
	}
	a := &agent{machine: m, ctx: ctx, beat: make(chan struct{}, 1)}
	if err := a.run(image); err != nil && ctx.Err() == nil {
		m.logf("agent: %v", err)
	}
}

func (a *agent) run(image string) error {
	// A BMC that cannot read the image has nothing to boot.
	if status, _, err := a.call(http.MethodGet, image, nil); err != nil || status != http.StatusOK {
		return fmt.Errorf("reading the medium %s: status %d: %w", image, status, err)
	}
	if err := a.lookup(); err != nil {
		return err
	}
	var config net.ListenConfig
	l, err := config.Listen(a.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	a.url = "http://" + l.Addr().String()
	server := &http.Server{Handler: a.api(), ReadHeaderTimeout: time.Minute}
	a.machine.work.Go(func() { _ = server.Serve(l) })
	defer func() { _ = server.Close() }()
	return a.heartbeats()
}

// lookup asks which node this is, until Ironic knows: 404 is a node in a state
// without a ramdisk, 409 one that the conductor holds at the moment.
func (a *agent) lookup() error {
	path := a.machine.options.IronicURL + "/v1/lookup?addresses=" + url.QueryEscape(a.machine.options.MAC)
	for {
		status, body, err := a.call(http.MethodGet, path, nil)
		if err == nil && status == http.StatusOK {
			var found struct {
				Node struct {
					UUID string `json:"uuid"`
				} `json:"node"`
				Config struct {
					Token string `json:"agent_token"`
				} `json:"config"`
			}
			if err := json.Unmarshal(body, &found); err != nil {
				return fmt.Errorf("reading the answer of lookup: %w", err)
			}
			if found.Config.Token == "******" {
				return fmt.Errorf("node %s has given its token away already", found.Node.UUID)
			}
			a.node, a.token = found.Node.UUID, found.Config.Token
			return nil
		}
		a.machine.logf("lookup: status %d, error %v", status, err)
		if !after(a.ctx, retryAfter) {
			return a.ctx.Err()
		}
	}
}

// heartbeats tells Ironic that the agent is there, until the power goes.
func (a *agent) heartbeats() error {
	path := a.machine.options.IronicURL + "/v1/heartbeat/" + a.node
	for {
		pause := heartbeatEvery
		status, body, err := a.call(http.MethodPost, path, object{
			"callback_url": a.url, "agent_token": a.token, "agent_version": agentVersion,
		})
		if err != nil || status != http.StatusAccepted {
			a.machine.logf("heartbeat: status %d, error %v: %s", status, err, body)
			pause = retryAfter
		}
		timer := time.NewTimer(pause)
		select {
		case <-a.ctx.Done():
		case <-a.beat:
		case <-timer.C:
		}
		timer.Stop()
		if a.ctx.Err() != nil {
			return a.ctx.Err()
		}
	}
}

// beatNow asks for a heartbeat; one that is already asked for will do.
func (a *agent) beatNow() {
	select {
	case a.beat <- struct{}{}:
	default:
	}
}

// call makes one call as the agent does: without credentials.
func (a *agent) call(method, address string, body any) (int, []byte, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return 0, nil, fmt.Errorf("encoding a request: %w", err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(a.ctx, method, address, content)
	if err != nil {
		return 0, nil, fmt.Errorf("preparing a request: %w", err)
	}
	request.Header.Set("X-OpenStack-Ironic-API-Version", agentAPI)
	request.Header.Set("Content-Type", "application/json")
	response, err := a.machine.options.Client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("calling Ironic: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, fmt.Errorf("reading an answer: %w", err)
	}
	return response.StatusCode, answer, nil
}
