package agentlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"ironworks/models"
)

// How long is waited before a machine is tried again.
const (
	firstPause  = time.Second
	mostPause   = 15 * time.Second
	failedPause = time.Minute // where waiting alone does not help
	lookPause   = time.Second // between looks at the address
)

// sshSource follows the journal of a machine over SSH.
type sshSource struct {
	joint *joint
	out   *outlet

	sudo   bool
	boot   string
	cursor string
	parser *Parser
	told   string // of the trust in the host key
	last   Status // why it did not work
}

// follow tries for ever: machines reboot, and come back at other addresses.
func (s *sshSource) follow(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		host := hostOf(s.joint.options.Address(s.joint.node))
		if host == "" {
			if s.joint.options.Once {
				s.out.status(ctx, Status{State: StateFailed, Why: noAddress, WayOut: noAddressWayOut})
				return
			}
			s.out.status(ctx, Status{State: StateWaiting, Why: noAddress, WayOut: noAddressWayOut})
			wait(ctx, lookPause)
			continue
		}
		began := s.joint.options.Now()
		err := s.once(ctx, host)
		if ctx.Err() != nil {
			return
		}
		status, final := faultStatus(err)
		status.Address = s.address(host)
		if s.joint.options.Once {
			if err == nil {
				status = Status{State: StateEnded, Address: status.Address}
			} else {
				status.State = StateFailed
			}
			s.out.status(ctx, status)
			return
		}
		s.last = status
		s.out.status(ctx, status)
		switch {
		case final:
			pause = failedPause
		case s.joint.options.Now().Sub(began) > time.Minute:
			pause = firstPause
		}
		s.rest(ctx, host, pause)
		pause = min(2*pause, mostPause)
	}
}

const (
	noAddress       = "Ironic has no address of the ramdisk: it has not called back yet, or is gone"
	noAddressWayOut = "wait for the ramdisk, or look at the machine's console"
)

// rest waits before the next try; a new address ends it.
func (s *sshSource) rest(ctx context.Context, host string, pause time.Duration) {
	pause += rand.N(pause/4 + 1) //nolint:gosec // so that many do not come at once
	for until := s.joint.options.Now().Add(pause); s.joint.options.Now().Before(until); {
		if !wait(ctx, min(lookPause, pause)) {
			return
		}
		if now := hostOf(s.joint.options.Address(s.joint.node)); now != "" && now != host {
			return
		}
	}
}

// errMoved is a machine that has another address now.
var errMoved = errors.New("the machine has another address now")

// once connects and follows until that ends, which is an error unless all was read.
func (s *sshSource) once(ctx context.Context, host string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if s.last.State != StateFailed {
		s.out.status(ctx, Status{State: StateConnecting, Address: s.address(host), Why: s.last.Why, WayOut: s.last.WayOut})
	}
	conn, boot, err := s.enter(ctx, host)
	if err != nil {
		return err
	}
	defer conn.close()
	if err := s.trust(conn, boot); err != nil {
		return err
	}
	if boot != "" && boot != s.boot {
		s.boot, s.cursor, s.parser = boot, "", nil
	}
	if s.parser == nil {
		s.parser = NewParser(s.joint.node, models.LogSSH, s.joint.options.Now)
	}
	following := Status{State: StateFollowing, Address: conn.last.name(), Why: s.told}
	s.last = Status{}
	s.out.status(ctx, following)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		s.watch(ctx, host, cancel)
	}()
	defer func() { cancel(nil); <-watching }()
	begun := s.joint.options.Now()
	err = conn.run(ctx, s.command(readCommand(s.cursor, !s.joint.options.Once)), hearPermission, func(stdout io.Reader) error {
		return entries(stdout, func(batch [][]byte) error { return s.take(ctx, batch, begun, &following) })
	})
	if cause := context.Cause(ctx); errors.Is(cause, errMoved) {
		return cause
	}
	return err
}

// watch ends the following of an address that is no longer the machine's. One that is
// gone is not: Ironic forgets it before the machine reboots.
func (s *sshSource) watch(ctx context.Context, host string, cancel context.CancelCauseFunc) {
	for wait(ctx, lookPause) {
		if now := hostOf(s.joint.options.Address(s.joint.node)); now != "" && now != host {
			cancel(errMoved)
			return
		}
	}
}

func (s *sshSource) command(c string) string {
	if s.sudo {
		return sudo + c
	}
	return c
}

// enter connects and looks at the journal; where it may not be read, once more with sudo.
func (s *sshSource) enter(ctx context.Context, host string) (conn *sshConn, boot string, err error) {
	for {
		conn, err = dialSSH(ctx, &s.joint.options.SSH, s.joint.node, host)
		if err != nil {
			return nil, "", err
		}
		boot, err = s.look(ctx, conn)
		if err == nil {
			return conn, boot, nil
		}
		conn.close()
		var failed *commandError
		switch {
		case errors.Is(err, errNoPermission) && !s.sudo:
			s.sudo = true
			continue
		case errors.As(err, &failed) && s.sudo:
			err = fmt.Errorf("%w, and sudo does not help: %s", errNoPermission, strings.TrimSpace(failed.stderr))
		}
		s.sudo = false // the next try finds out anew
		return nil, "", err
	}
}

// look asks for the last entry: of which boot it is, and whether we may read it at all.
func (s *sshSource) look(ctx context.Context, conn *sshConn) (boot string, err error) {
	err = conn.run(ctx, s.command(bootCommand()), hearPermission, func(stdout io.Reader) error {
		return entries(stdout, func(batch [][]byte) error {
			for _, data := range batch {
				if lines, err := NewParser(s.joint.node, models.LogSSH, s.joint.options.Now).Journal(data); err == nil && len(lines) > 0 {
					boot = lines[0].Boot
				}
			}
			return nil
		})
	})
	return boot, err
}

// trust decides about a host key that nobody knows.
func (s *sshSource) trust(conn *sshConn, boot string) error {
	s.told = ""
	if conn.keys.verdict == hostKeyExpected {
		s.joint.trust.expect(s.joint.node, conn.keys.key, boot)
	}
	if conn.keys.verdict != hostKeyNew {
		return nil
	}
	if err := s.joint.trust.first(s.joint.node, &conn.last, conn.keys.key, boot); err != nil {
		return err
	}
	s.told = "its host key " + fingerprint(conn.keys.key) + " is trusted for this boot, as the first one that was seen"
	if conn.keys.foreign {
		s.told += "; it is none that an image of this console has"
	}
	return nil
}

// take hands on the lines of entries, and then remembers how far that is.
func (s *sshSource) take(ctx context.Context, batch [][]byte, begun time.Time, following *Status) error {
	var lines []models.LogLine
	cursor := s.cursor
	fresh := s.joint.options.Now().Sub(begun) > 3*time.Second
	for _, data := range batch {
		if data == nil {
			lines = append(lines, s.parser.Text(time.Time{}, "journalctl", "(an entry was left out: it is too large)")...)
			continue
		}
		more, at, err := s.parser.journal(data)
		if err != nil || at != "" && at == cursor {
			continue // no entry, or the one that we had already
		}
		if at != "" {
			cursor = at
		}
		if fresh && len(more) > 0 {
			s.out.skew.see(&more[0])
		}
		lines = append(lines, more...)
	}
	if !s.out.lines(ctx, lines) {
		return ctx.Err()
	}
	s.cursor = cursor
	if skew, known := s.out.skew.told(); known && skew != following.Skew {
		following.Skew = skew
		s.out.status(ctx, *following)
	}
	return nil
}

func (s *sshSource) address(host string) string {
	files, err := readSSHFiles(&s.joint.options.SSH)
	if err != nil {
		return host
	}
	way, err := files.way(&s.joint.options.SSH, host)
	if err != nil {
		return host
	}
	return way[len(way)-1].name()
}

// hostOf takes the host out of the agent's address, or of one that somebody gave.
func hostOf(address string) string {
	if !strings.Contains(address, "://") {
		_, host, _, err := splitHost(address)
		if err != nil {
			return ""
		}
		return host
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	// What Ironic says is not ours to run: ssh_config and known_hosts take it as a name.
	if host := u.Hostname(); !strings.HasPrefix(host, "-") && !strings.ContainsAny(host, " \t\n\"'\\*?!,") {
		return host
	}
	return ""
}
