package agentlog

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"time"

	"ironworks/models"
)

// SerialConsoles opens the serial consoles of nodes through Ironic.
type SerialConsoles interface {
	// Open makes the node's console readable. This may change the state of the console and disconnect its other
	// readers. If the problem is known, the error is a [SerialError].
	Open(ctx context.Context, node models.NodeRef) (SerialConsole, error)
}

// SerialConsole is a node's serial console opened by [SerialConsoles], usable until Close is called.
type SerialConsole interface {
	// Address returns the address of the console's data, tcp://HOST:PORT, which may change. It may query Ironic.
	Address(ctx context.Context) (string, error)
	// Changed describes the change that made the console readable, such as enabling it, or returns "" without a change.
	Changed() string
	// Close restores the console's state.
	Close(ctx context.Context) error
}

// SerialError reports why a serial console cannot be read.
type SerialError struct {
	// Reason explains the error. Remedy suggests what the operator can do. Both are for display and may be empty.
	Reason, Remedy string
	// Final reports whether a retry would be useless.
	Final bool
}

// Error returns the reason.
func (e *SerialError) Error() string { return e.Reason }

const (
	serialDial   = 10 * time.Second
	serialReturn = 20 * time.Second // time to restore the console's state
	// serialQuiet is the time after which an incomplete line is shown, because a prompt has no line end.
	serialQuiet = time.Second
	// serialSilent is the time after which silence is reported.
	serialSilent = 20 * time.Second
)

// serialSource is the source that reads a machine's serial console. It sends nothing to the console.
type serialSource struct {
	*sourceOutput

	console SerialConsole
	parser  *serialParser
	// address is the last address of the console. It is empty if it must be queried.
	address string
	// connected and received report whether the last attempt led to a connection, and whether data arrived.
	connected, received bool
}

// follow reads the console, with retries, until ctx is canceled. It then restores the console's state.
func (s *serialSource) follow(ctx context.Context) {
	if s.follower.options.Once {
		s.status(ctx, Status{State: StateEnded, Reason: "a serial console has no history: pass -f to follow it"})
		return
	}
	defer s.closeConsole(ctx)
	s.parser = newSerialParser(s.follower.node, time.Now)
	pause := firstPause
	for ctx.Err() == nil {
		s.connected, s.received = false, false
		err := s.readUntilClosed(ctx)
		if ctx.Err() != nil {
			return
		}
		status := s.fault(err)
		s.status(ctx, status)
		if !s.connected {
			s.address = "" // the console may have moved to another address
		}
		switch {
		case s.received:
			pause = firstPause
		case status.State == StateFailed:
			pause = failedPause
		}
		if !wait(ctx, pause) {
			return
		}
		pause = min(2*pause, mostPause)
	}
}

// closeConsole restores the console's state, even if ctx was canceled.
func (s *serialSource) closeConsole(ctx context.Context) {
	if s.console == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), serialReturn)
	defer stop()
	// Ignore the error: the console itself reports it, and the status of this source is no longer read.
	_ = s.console.Close(ctx)
}

func (s *serialSource) readUntilClosed(ctx context.Context) error {
	if s.address == "" {
		s.status(ctx, Status{State: StateConnecting})
		if err := s.find(ctx); err != nil {
			return err
		}
	}
	dialer := net.Dialer{Timeout: serialDial}
	conn, err := dialer.DialContext(ctx, "tcp", s.address)
	if err != nil {
		return err
	}
	s.connected = true
	ended := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		ended()
		_ = conn.Close()
	}()
	return s.read(ctx, conn)
}

func (s *serialSource) find(ctx context.Context) error {
	if s.console == nil {
		console, err := s.follower.options.Serial.Open(ctx, s.follower.node)
		if err != nil {
			return err
		}
		s.console = console
	}
	address, err := s.console.Address(ctx)
	if err != nil {
		return err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "tcp" || u.Hostname() == "" || u.Port() == "" {
		return &SerialError{Reason: "invalid console address: " + models.MaskURL(address), Remedy: serialOnly, Final: true}
	}
	s.address = u.Host
	return nil
}

const serialOnly = "ironworks reads only consoles served by socat (console_interface ipmitool-socat)"

func (s *serialSource) read(ctx context.Context, conn net.Conn) error {
	following := Status{State: StateFollowing, Address: s.address, Reason: s.console.Changed()}
	s.status(ctx, following)
	last := time.Now()
	buffer := make([]byte, 16<<10)
	for {
		_ = conn.SetReadDeadline(time.Now().Add(serialQuiet))
		n, err := conn.Read(buffer)
		now := time.Now()
		if n > 0 {
			last, s.received = now, true
			if following.Remedy != "" {
				following.Reason, following.Remedy = s.console.Changed(), ""
				s.status(ctx, following)
			}
			if !s.lines(ctx, s.parser.feed(buffer[:n])) {
				return ctx.Err()
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			s.lines(ctx, s.parser.pause())
			if following.Remedy == "" && now.Sub(last) >= serialSilent {
				following.Reason = "no output"
				following.Remedy = "check that the ramdisk writes to its serial port (console=ttyS0) and that no other client reads the console"
				s.status(ctx, following)
			}
		default:
			s.lines(ctx, s.parser.end())
			return err
		}
	}
}

func (s *serialSource) fault(err error) Status {
	status := Status{State: StateConnecting, Address: s.address}
	known, isKnown := errors.AsType[*SerialError](err)
	fault, isFault := errors.AsType[*models.Fault](err)
	switch {
	case isKnown:
		status.Reason, status.Remedy = known.Reason, known.Remedy
		if known.Final {
			status.State = StateFailed
		}
	case isFault:
		status.Reason, status.Remedy = fault.Reason(), fault.Hint
	case errors.Is(err, syscall.ECONNREFUSED):
		status.Reason = "connection refused"
		status.Remedy = "check that this console can reach the conductor's [console]socat_address; if socat has exited, disable and enable the console"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		status.Reason = "connection closed"
		status.Remedy = "another client may have taken over the console, or the BMC ended the session"
	default:
		status = faultStatus(err)
		if status.Address, status.Remedy = s.address, ""; s.address != "" {
			status.Remedy = "check that this console can reach the conductor's [console]socat_address"
		}
	}
	return status
}
