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

// These are the delays between attempts, and between checks of the address.
const (
	firstPause  = time.Second
	mostPause   = 15 * time.Second
	failedPause = time.Minute // after a failure that waiting does not fix
	lookPause   = time.Second // the interval between two checks of the address
)

type sshSource struct {
	*sourceOutput

	sudo      bool
	boot      string
	cursor    string
	parser    *Parser
	trustNote string // why the host key is trusted
	last      Status // the status of the last failed attempt
}

// follow follows the journal until ctx is canceled, with retries, as machines reboot and get new addresses.
func (s *sshSource) follow(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		host := HostOf(s.follower.options.Address(s.follower.node))
		if host == "" {
			if s.follower.options.Once {
				s.status(ctx, Status{State: StateFailed, Reason: noAddress, Remedy: noAddressWayOut})
				return
			}
			s.status(ctx, Status{State: StateWaiting, Reason: noAddress, Remedy: noAddressWayOut})
			wait(ctx, lookPause)
			continue
		}
		began := time.Now()
		err := s.followUntilClosed(ctx, host)
		if ctx.Err() != nil {
			return
		}
		status := faultStatus(err)
		status.Address = s.address(host)
		if s.follower.options.Once {
			if err == nil {
				status = Status{State: StateEnded, Address: status.Address}
			} else {
				status.State = StateFailed
			}
			s.status(ctx, status)
			return
		}
		s.last = status
		s.status(ctx, status)
		switch {
		case status.State == StateFailed:
			pause = failedPause
		case time.Since(began) > time.Minute:
			pause = firstPause
		}
		s.waitBeforeRetry(ctx, host, pause)
		pause = min(2*pause, mostPause)
	}
}

const (
	noAddress       = "ramdisk not running: Ironic has no address for its agent"
	noAddressWayOut = "wait for the ramdisk, or check the machine's console"
)

// waitBeforeRetry waits before the next attempt; a new address ends the wait.
func (s *sshSource) waitBeforeRetry(ctx context.Context, host string, pause time.Duration) {
	pause += rand.N(pause/4 + 1) //nolint:gosec // spreads the attempts of many nodes
	for until := time.Now().Add(pause); time.Now().Before(until); {
		if !wait(ctx, min(lookPause, pause)) {
			return
		}
		if now := HostOf(s.follower.options.Address(s.follower.node)); now != "" && now != host {
			return
		}
	}
}

var errMoved = errors.New("the machine's address changed")

// followUntilClosed connects and follows the log until the connection ends. It returns nil if journalctl has exited
// successfully. With the Once option, journalctl exits after it has printed the existing journal.
func (s *sshSource) followUntilClosed(ctx context.Context, host string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if s.last.State != StateFailed {
		s.status(ctx, Status{State: StateConnecting, Address: s.address(host), Reason: s.last.Reason, Remedy: s.last.Remedy})
	}
	conn, boot, err := s.enter(ctx, host)
	if err != nil {
		return err
	}
	defer conn.close()
	if s.trustNote, err = s.follower.options.Trust.accept(s.follower.node, conn, boot); err != nil {
		return err
	}
	if boot != "" && boot != s.boot {
		s.boot, s.cursor, s.parser = boot, "", nil
	}
	if s.parser == nil {
		s.parser = NewParser(s.follower.node, models.LogSSH, time.Now)
	}
	following := Status{State: StateFollowing, Address: conn.last.name(), Reason: s.trustNote}
	s.last = Status{}
	s.status(ctx, following)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		s.watch(ctx, host, cancel)
	}()
	defer func() { cancel(nil); <-watching }()
	begun := time.Now()
	err = conn.run(ctx, s.command(readCommand(s.cursor, !s.follower.options.Once)), checkPermission, func(stdout io.Reader) error {
		return entries(stdout, func(batch [][]byte) error { return s.emit(ctx, batch, begun, &following) })
	})
	if cause := context.Cause(ctx); errors.Is(cause, errMoved) {
		return cause
	}
	return err
}

// watch calls the cancel function when the machine's address is no longer host. It ignores a missing address, because
// Ironic removes the address before the machine reboots.
func (s *sshSource) watch(ctx context.Context, host string, cancel context.CancelCauseFunc) {
	for wait(ctx, lookPause) {
		if now := HostOf(s.follower.options.Address(s.follower.node)); now != "" && now != host {
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

// enter connects and checks that the journal is readable. If it is not, enter retries with sudo.
func (s *sshSource) enter(ctx context.Context, host string) (conn *sshConn, boot string, err error) {
	for {
		conn, err = dialSSH(ctx, &s.follower.options.SSH, s.follower.node, host, true)
		if err != nil {
			return nil, "", err
		}
		boot, err = s.readBoot(ctx, conn)
		if err == nil {
			return conn, boot, nil
		}
		conn.close()
		if errors.Is(err, errNoPermission) && !s.sudo {
			s.sudo = true
			continue
		}
		if failed, ok := errors.AsType[*commandError](err); ok && s.sudo {
			err = fmt.Errorf("%w, even with sudo: %s", errNoPermission, strings.TrimSpace(failed.stderr))
		}
		s.sudo = false // the next attempt has to find this out again
		return nil, "", err
	}
}

// readBoot reads the last entry of the journal. It returns the boot ID, or an error if the journal is not readable.
func (s *sshSource) readBoot(ctx context.Context, conn *sshConn) (boot string, err error) {
	err = conn.run(ctx, s.command(bootCommand()), checkPermission, func(stdout io.Reader) error {
		return entries(stdout, func(batch [][]byte) error {
			for _, data := range batch {
				if lines, _, _ := NewParser(s.follower.node, models.LogSSH, time.Now).Journal(data); len(lines) > 0 {
					boot = lines[0].Boot
				}
			}
			return nil
		})
	})
	return boot, err
}

// emit sends the lines in the entries to the follower, and then stores the position after them.
func (s *sshSource) emit(ctx context.Context, batch [][]byte, begun time.Time, following *Status) error {
	var lines []models.LogLine
	cursor := s.cursor
	fresh := time.Since(begun) > 3*time.Second
	for _, data := range batch {
		if data == nil {
			lines = append(lines, s.parser.Text(time.Time{}, "journalctl", "(entry omitted: too large)")...)
			continue
		}
		more, at, err := s.parser.Journal(data)
		if err != nil || at != "" && at == cursor {
			continue // malformed, or the last entry of the previous connection
		}
		if at != "" {
			cursor = at
		}
		if fresh && len(more) > 0 {
			s.skew.observe(&more[0])
		}
		lines = append(lines, more...)
	}
	if !s.lines(ctx, lines) {
		return ctx.Err()
	}
	s.cursor = cursor
	if skew, known := s.skew.value(); known && skew != following.Skew {
		following.Skew = skew
		s.status(ctx, *following)
	}
	return nil
}

func (s *sshSource) address(host string) string { return s.follower.options.SSH.target(host) }

// target returns the user and host to which ssh would connect, for display, or host without a valid ssh_config.
func (o *SSHOptions) target(host string) string {
	files, err := readSSHFiles(o)
	if err != nil {
		return host
	}
	way, err := files.route(o, host)
	if err != nil {
		return host
	}
	return way[len(way)-1].name()
}

// HostOf returns the host in an agent's address, a URL or a bare host, or "" if it contains no valid host.
func HostOf(address string) string {
	var host string
	if !strings.Contains(address, "://") {
		_, host, _, _ = splitHost(address) // host is "" if there is an error
	} else if u, err := url.Parse(address); err == nil {
		host = u.Hostname()
	}
	// The address from Ironic is not trusted, and some characters are special in ssh_config and known_hosts.
	if strings.HasPrefix(host, "-") || strings.ContainsAny(host, " \t\r\n\"'\\*?!,") {
		return ""
	}
	return host
}

// skew estimates how far a machine's clock is ahead of Ironic's: at least by the difference between a line's time and
// its later arrival. The least delayed line gives the most accurate estimate.
type skew struct {
	clock func() (time.Duration, bool) // how far Ironic's clock is ahead of the local one
	most  time.Duration
	lines int
}

func (s *skew) observe(l *models.LogLine) {
	if l.Time.IsZero() || l.Received.IsZero() {
		return
	}
	ahead := l.Time.Sub(l.Received)
	if s.lines == 0 || ahead > s.most {
		s.most = ahead
	}
	s.lines++
}

// value returns how far the machine's clock is ahead of Ironic's, and whether that is known. The estimate is accurate
// to about a second, so it is rounded to whole seconds.
func (s *skew) value() (time.Duration, bool) {
	if s.lines == 0 || s.clock == nil {
		return 0, false
	}
	server, known := s.clock()
	if !known {
		return 0, false
	}
	return (s.most - server).Round(time.Second), true
}
