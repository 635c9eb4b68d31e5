package agentlog

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"ironworks/printable"
)

// faultStatus converts an error to a status that explains why a machine's journal cannot be followed, and how to fix
// this. The final result reports whether retrying would not help.
func faultStatus(err error) (s Status, final bool) {
	again := func(why, wayOut string) (Status, bool) {
		return Status{State: StateConnecting, Reason: why, Remedy: wayOut}, false
	}
	failed := func(why, wayOut string) (Status, bool) {
		return Status{State: StateFailed, Reason: why, Remedy: wayOut}, true
	}
	var (
		hostKey *HostKeyError
		auth    *authError
		command *commandError
		unknown *net.DNSError
	)
	switch {
	case err == nil:
		return again("journalctl exited", "")
	case errors.Is(err, errMoved):
		return again("the machine's address changed", "")
	case errors.As(err, &hostKey):
		return failed("host key "+hostKey.Fingerprint+" of "+hostKey.Host+" is refused: "+hostKey.Reason, hostKey.Remedy)
	case errors.As(err, &auth):
		return failed(auth.Error(), "add the private key that matches the ramdisk's Ignition configuration: set logs.ssh.keys in the context, or use ssh-add")
	case errors.Is(err, errNoPermission):
		return failed(err.Error(), "add the user to the systemd-journal group, or allow sudo without a password")
	case errors.As(err, &command):
		return commandStatus(command)
	case errors.As(err, &unknown):
		return again("the name "+unknown.Name+" does not resolve", "")
	case errors.Is(err, syscall.ECONNREFUSED), refusedByJump(err):
		return again("SSH connection refused", "check that the ramdisk runs sshd and that this is still its address")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return again("no route to host", "if a jump host is needed, set logs.ssh.jump in the context")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), timedOut(err):
		return again("timed out", "a firewall may drop packets, or the machine is down; if a jump host is needed, set logs.ssh.jump in the context")
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), brokenOff(err):
		return again("connection lost", "")
	}
	var m masker
	return again(truncate(printable.Line(m.line(err.Error())), 300), "")
}

func commandStatus(e *commandError) (Status, bool) {
	text := strings.TrimSpace(e.stderr)
	switch {
	case e.status == 127 || contains(text, "command not found", "No such file or directory"):
		return Status{State: StateFailed, Reason: "journalctl not found", Remedy: "check that this is still the ramdisk's address"}, true
	case text == "":
		text = "no error output"
	}
	var m masker
	return Status{State: StateConnecting, Reason: "journalctl failed: " + truncate(printable.Line(m.line(text)), 300)}, false
}

func timedOut(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// refusedByJump reports whether the error means that a jump host could not connect to the next host.
func refusedByJump(err error) bool {
	var open *ssh.OpenChannelError
	return errors.As(err, &open) && open.Reason == ssh.ConnectionFailed
}

func brokenOff(err error) bool {
	var missing *ssh.ExitMissingError
	return errors.As(err, &missing)
}
