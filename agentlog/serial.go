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

// SerialConsoles are the serial consoles of nodes, as Ironic lends them.
type SerialConsoles interface {
	// Open makes a node's console ready to be read, which may change it and end what others
	// read. Why it cannot be is a [SerialError], if it is known.
	Open(ctx context.Context, node models.NodeRef) (SerialConsole, error)
}

// SerialConsole is one that somebody reads.
type SerialConsole interface {
	// Address is where its bytes are, tcp://HOST:PORT. It may ask Ironic, and may change.
	Address(ctx context.Context) (string, error)
	// Changed says what was changed so that it can be read; empty if nothing was.
	Changed() string
	// Close leaves the console as it was found.
	Close(ctx context.Context) error
}

// SerialError is why a console cannot be read.
type SerialError struct {
	// Why is for people, and WayOut what can be done about it; empty if nothing is known.
	Why, WayOut string
	// Final says that waiting will hardly help.
	Final bool
}

// Error is why.
func (e *SerialError) Error() string { return e.Why }

const (
	serialDial   = 10 * time.Second
	serialReturn = 20 * time.Second // for leaving the console as it was found
	// serialQuiet is after how long the beginning of a line is shown: a prompt has no end.
	serialQuiet = time.Second
	// serialSilent is after how long it is said that nothing comes.
	serialSilent = 20 * time.Second
)

// serialSource reads what a machine writes to its serial line. It sends nothing.
type serialSource struct {
	joint *joint
	out   *outlet

	console SerialConsole
	parser  *serialParser
	// address is where the console was last, empty if it has to be asked for.
	address string
	// connected and heard say how far the last try came.
	connected, heard bool
}

// follow tries for ever, and leaves the console as it was in the end.
func (s *serialSource) follow(ctx context.Context) {
	if s.joint.options.Once {
		s.out.status(ctx, Status{State: StateEnded, Why: "a serial console keeps nothing: what comes has to be followed"})
		return
	}
	defer s.leave(ctx)
	s.parser = newSerialParser(s.joint.node, s.joint.options.Now)
	pause := firstPause
	for ctx.Err() == nil {
		s.connected, s.heard = false, false
		err := s.once(ctx)
		if ctx.Err() != nil {
			return
		}
		status := s.fault(err)
		s.out.status(ctx, status)
		if !s.connected {
			s.address = "" // it may be elsewhere by now
		}
		switch {
		case s.heard:
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

// leave gives the console back, also where somebody has interrupted the reading.
func (s *serialSource) leave(ctx context.Context) {
	if s.console == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), serialReturn)
	defer stop()
	// Who lends consoles tells what did not work: nobody reads this any more.
	_ = s.console.Close(ctx)
}

// once finds the console, connects, and reads until that ends.
func (s *serialSource) once(ctx context.Context) error {
	if s.address == "" {
		s.out.status(ctx, Status{State: StateConnecting})
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

// find asks where the console is.
func (s *serialSource) find(ctx context.Context) error {
	if s.console == nil {
		console, err := s.joint.options.Serial.Open(ctx, s.joint.node)
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
		return &SerialError{Why: "its address is none that can be read: " + models.MaskURL(address), WayOut: serialOnly, Final: true}
	}
	s.address = u.Host
	return nil
}

const serialOnly = "only consoles that are served by socat (console_interface ipmitool-socat) can be read here"

// read gives lines until the connection ends.
func (s *serialSource) read(ctx context.Context, conn net.Conn) error {
	following := Status{State: StateFollowing, Address: s.address, Why: s.console.Changed()}
	s.out.status(ctx, following)
	last := s.joint.options.Now()
	buffer := make([]byte, 16<<10)
	for {
		_ = conn.SetReadDeadline(time.Now().Add(serialQuiet))
		n, err := conn.Read(buffer)
		now := s.joint.options.Now()
		if n > 0 {
			last, s.heard = now, true
			if following.WayOut != "" {
				following.Why, following.WayOut = s.console.Changed(), ""
				s.out.status(ctx, following)
			}
			if !s.out.lines(ctx, s.parser.take(buffer[:n])) {
				return ctx.Err()
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			s.out.lines(ctx, s.parser.pause())
			if following.WayOut == "" && now.Sub(last) >= serialSilent {
				following.Why = "nothing comes"
				following.WayOut = "does the ramdisk write to its serial port (console=ttyS0), and does nobody else read the console?"
				s.out.status(ctx, following)
			}
		default:
			s.out.lines(ctx, s.parser.end())
			return err
		}
	}
}

// fault is why the console is not read.
func (s *serialSource) fault(err error) Status {
	status := Status{State: StateConnecting, Address: s.address}
	var (
		known *SerialError
		fault *models.Fault
	)
	switch {
	case errors.As(err, &known):
		status.Why, status.WayOut = known.Why, known.WayOut
		if known.Final {
			status.State = StateFailed
		}
	case errors.As(err, &fault):
		status.Why, status.WayOut = fault.Reason(), fault.Hint
	case errors.Is(err, syscall.ECONNREFUSED):
		status.Why = "nothing listens there"
		status.WayOut = "the conductor's [console]socat_address has to be reached from here; if socat has ended, disable the console and enable it again"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		status.Why = "the connection was closed"
		status.WayOut = "somebody else may read the console now, or the BMC has ended the session"
	default:
		status, _ = faultStatus(err)
		if status.Address, status.WayOut = s.address, ""; s.address != "" {
			status.WayOut = "the conductor's [console]socat_address has to be reached from here"
		}
	}
	return status
}
