package lab

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"ironworks/agent"
	"ironworks/ignition"
	"ironworks/lab/machine"
)

// pusher pushes the journal of a boot to a console, as the unit in a real machine's ramdisk does.
// docs/reference/logs.md describes the protocol.
type pusher struct {
	journal    *journal
	client     *http.Client
	url        string
	token      string
	macs       []string
	system     string
	now        func() time.Time
	each       time.Duration
	lastLogged string
}

const (
	pushUnitName = "ironworks-journal.service"
	pushLines    = 500
	pushEach     = time.Second
	pushLeast    = 50 * time.Millisecond
	pushAlive    = 20 * time.Second
	pushMostWait = 30 * time.Second
	pushRest     = 5 * time.Second // real time, at any speed
)

func newPusher(m *Machine, to ignition.JournalPush) *pusher {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(to.Certificate))
	name, endpoint := to.ServerName(), to.Endpoint()
	dialer := &net.Dialer{LocalAddr: m.sendsFrom(endpoint)}
	return &pusher{
		journal: &m.journal, url: "https://" + name + "/v1/journal", token: to.Token.Reveal(), macs: m.MACs(),
		system: m.Spec().UUID, now: m.lab.options.Now,
		each: max(m.pace().of(pushEach), pushLeast),
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: name, MinVersion: tls.VersionTLS12},
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, endpoint)
			},
			MaxIdleConns: 1,
		}},
	}
}

// sendsFrom returns the local address for connections to a console: the agent's, or nil (any) if the console cannot be
// reached from there or an external agent runs.
func (m *Machine) sendsFrom(endpoint string) net.Addr {
	to, err := netip.ParseAddrPort(endpoint)
	if err != nil || !to.Addr().Is4() || !to.Addr().IsLoopback() || len(m.lab.options.AgentCommand) > 0 {
		return nil
	}
	return &net.TCPAddr{IP: net.ParseIP(m.AgentHost())}
}

// run pushes lines until ctx is done, which means that the machine is off.
func (p *pusher) run(ctx context.Context) {
	defer p.client.CloseIdleConnections()
	boot, cursor := p.journal.bootID(), ""
	wait, silent := pushEach, pushAlive // real time, at any speed
	for {
		lines, _ := p.journal.since(boot, cursor)
		lines = lines[:min(len(lines), pushLines)]
		pause := p.each
		if len(lines) == 0 && silent < pushAlive {
			silent += p.each
		} else if taken, at, err := p.post(ctx, boot, cursor, lines); err != nil {
			p.log("cannot reach the console: " + err.Error())
			pause, silent = wait, pushAlive
			wait = min(2*wait, pushMostWait)
		} else {
			silent = 0
			if taken && p.lastLogged != "" {
				p.log("the console takes the journal")
				p.lastLogged = ""
			}
			wait, cursor = pushEach, at
			if taken && len(lines) == pushLines {
				pause = 0
			}
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), machine.ErrShutdown) {
				p.pushRemaining(ctx, boot, cursor)
			}
			return
		case <-time.After(pause):
		}
	}
}

// pushRemaining pushes the lines that were written before a shutdown, as the real unit does when it is stopped.
func (p *pusher) pushRemaining(ctx context.Context, boot, cursor string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pushRest)
	defer cancel()
	for {
		lines, _ := p.journal.since(boot, cursor)
		if len(lines) == 0 {
			return
		}
		_, at, err := p.post(ctx, boot, cursor, lines[:min(len(lines), pushLines)])
		if err != nil || at == cursor {
			return
		}
		cursor = at
	}
}

// log writes a message to the machine's journal, unless it equals the previous one.
func (p *pusher) log(text string) {
	if text == p.lastLogged {
		return
	}
	p.lastLogged = text
	p.journal.add(agent.Entry{Time: p.now(), Unit: pushUnitName, Priority: agent.PriorityInfo, Text: text})
}

// post pushes the lines after the cursor after. It returns whether the console has accepted them, and the cursor after
// which it expects lines: that of the last line, or another one if it has not accepted them.
func (p *pusher) post(ctx context.Context, boot, after string, lines []record) (taken bool, at string, err error) {
	var body bytes.Buffer
	for i := range lines {
		body.Write(lines[i].export(nil))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, &body)
	if err != nil {
		return false, "", err
	}
	if after == "" {
		after = "none"
	}
	for header, value := range map[string]string{
		"Authorization": "Bearer " + p.token, "Content-Type": "application/x-ndjson",
		"Ironworks-Macs": strings.Join(p.macs, ","), "Ironworks-System": p.system, "Ironworks-Boot": boot, "Ironworks-After": after,
	} {
		request.Header.Set(header, value)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return false, "", err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err != nil {
		return false, "", err
	}
	if at = strings.TrimSpace(string(answer)); at == "none" {
		at = ""
	}
	switch response.StatusCode {
	case http.StatusOK:
		return true, at, nil
	case http.StatusConflict:
		return false, at, nil
	}
	return false, "", fmt.Errorf("it answers %d: %s", response.StatusCode, strings.TrimSpace(string(answer)))
}
