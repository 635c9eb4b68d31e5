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

	"ironworks/models"
)

func fingerprint(key ssh.PublicKey) string { return ssh.FingerprintSHA256(key) }

// faultStatus says why a machine's journal cannot be followed, and the way out. Final is
// what does not go away by waiting.
func faultStatus(err error) (s Status, final bool) {
	again := func(why, wayOut string) (Status, bool) {
		return Status{State: StateConnecting, Why: why, WayOut: wayOut}, false
	}
	failed := func(why, wayOut string) (Status, bool) {
		return Status{State: StateFailed, Why: why, WayOut: wayOut}, true
	}
	var (
		hostKey *HostKeyError
		auth    *authError
		command *commandError
		unknown *net.DNSError
	)
	switch {
	case err == nil:
		return again("journalctl ended", "")
	case errors.Is(err, errMoved):
		return again("the machine has another address now", "")
	case errors.As(err, &hostKey):
		return failed("the host key "+hostKey.Fingerprint+" of "+hostKey.Host+" is refused: "+hostKey.Why, hostKey.WayOut)
	case errors.As(err, &auth):
		return failed(auth.Error(), "name the key whose public half the ramdisk's Ignition carries: logs.ssh.keys of the context; or ssh-add it")
	case errors.Is(err, errNoPermission):
		return failed(err.Error(), "let the user read the journal (group systemd-journal), or run sudo without a password")
	case errors.As(err, &command):
		return commandStatus(command)
	case errors.As(err, &unknown):
		return again("the name "+unknown.Name+" does not resolve", "")
	case errors.Is(err, syscall.ECONNREFUSED), refusedThere(err):
		return again("nothing listens for SSH there", "is sshd in the ramdisk, and is this still the ramdisk's address?")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return again("there is no route to it", "from here the machine's network may be reached over a jump host: logs.ssh.jump of the context")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), timedOut(err):
		return again("no answer in time", "a firewall may drop it, or the machine is down; over a jump host: logs.ssh.jump of the context")
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), brokenOff(err):
		return again("the connection broke", "")
	}
	var m masker
	return again(short(models.Printable(m.line(err.Error())), 300), "")
}

func commandStatus(e *commandError) (Status, bool) {
	text := strings.TrimSpace(e.stderr)
	switch {
	case e.status == 127 || contains(text, "command not found", "No such file or directory"):
		return Status{State: StateFailed, Why: "there is no journalctl on it", WayOut: "is this the ramdisk? Its address may be another machine's by now"}, true
	case text == "":
		text = "it said nothing"
	}
	var m masker
	return Status{State: StateConnecting, Why: "journalctl ended badly: " + short(models.Printable(m.line(text)), 300)}, false
}

func timedOut(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// refusedThere is a jump host that could not connect.
func refusedThere(err error) bool {
	var open *ssh.OpenChannelError
	return errors.As(err, &open) && open.Reason == ssh.ConnectionFailed
}

func brokenOff(err error) bool {
	var missing *ssh.ExitMissingError
	return errors.As(err, &missing)
}
