package linux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ironworks/agent"
)

// Host gives access to a host: its files, programs and network interfaces.
type Host struct {
	// Root is the folder with the host's files, "/" for the host that the agent runs on.
	Root string
	// Run runs programs. Required.
	Run Runner
	// Links reads network interface data that the kernel provides only through sockets. Required.
	Links Links
	// Warn receives warnings about facts that could not be read; it may be nil.
	Warn func(format string, args ...any)
}

// Runner runs a program until it ends. The error for a missing program is [agent.ErrNoProgram]. For a program that
// fails, the output has an exit status, and the error is nil.
type Runner func(ctx context.Context, command Command) (agent.Output, error)

// Command is a program with its arguments.
type Command struct {
	Argv  []string
	Stdin io.Reader
	// Line receives each line of standard output and standard error as the program prints it. If Line is set, the
	// output is not kept.
	Line func(string)
}

// Links reads data about network interfaces from the kernel through sockets.
type Links interface {
	// Addresses returns the IP addresses of an interface in the kernel's order, without masks. A
	// link-local IPv6 address has its zone.
	Addresses(name string) []string
	// PermanentMAC returns the address that the interface's manufacturer gave it, or "".
	PermanentMAC(name string) string
	// Speed returns the fastest supported mode in Mbit/s, or else the current speed, or 0.
	Speed(name string) int
	// LLDP listens for one LLDP frame on each interface until ctx ends, and returns the frames
	// without their Ethernet headers.
	LLDP(ctx context.Context, names []string) (map[string][]byte, error)
}

// path returns the path of one of the host's files.
func (h Host) path(name string) string { return filepath.Join(h.Root, name) }

// read returns the content of a file without surrounding white space.
func (h Host) read(name string) (string, error) {
	content, err := os.ReadFile(h.path(name))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(content)), nil
}

// list returns the names in a folder, in the order of the file system, like Python's os.listdir.
func (h Host) list(name string) ([]string, error) {
	folder, err := os.Open(h.path(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	return folder.Readdirnames(-1)
}

// exists reports whether a file or folder exists.
func (h Host) exists(name string) bool {
	_, err := os.Stat(h.path(name))
	return err == nil
}

// link returns the target of a symbolic link, unresolved.
func (h Host) link(name string) (string, error) { return os.Readlink(h.path(name)) }

// warnUnreadable warns about a fact that cannot be read, or that the host does not have.
func (h Host) warnUnreadable(what string, err error) {
	if errors.Is(err, os.ErrNotExist) {
		h.warn("this host has no %s", what)
		return
	}
	h.warn("cannot read %s: %v", what, err)
}

func (h Host) warn(format string, args ...any) {
	if h.Warn != nil {
		h.Warn(format, args...)
	}
}

// ProgramError is the failure of a program, with all that it printed.
type ProgramError struct {
	Argv   []string
	Output agent.Output
}

func (e *ProgramError) Error() string {
	text := strings.TrimSpace(e.Output.Stderr)
	if text == "" {
		text = strings.TrimSpace(e.Output.Stdout)
	}
	return fmt.Sprintf("%s failed with exit code %d: %s", strings.Join(e.Argv, " "), e.Output.Code, text)
}

// missingProgram is the name of a program that the host lacks.
type missingProgram string

func (m missingProgram) Error() string { return string(m) + " is not installed on this host" }

// Unwrap makes the error match [agent.ErrNoProgram].
func (missingProgram) Unwrap() error { return agent.ErrNoProgram }

// program runs a program that must succeed and returns its output. If the program fails, the error is a *ProgramError;
// if it is missing, an [agent.ErrNoProgram].
func (h Host) program(ctx context.Context, argv ...string) (string, error) {
	out, err := h.Run(ctx, Command{Argv: argv})
	switch {
	case errors.Is(err, agent.ErrNoProgram):
		return "", missingProgram(argv[0])
	case err != nil:
		return "", fmt.Errorf("running %s: %w", argv[0], err)
	case out.Code != 0:
		return "", &ProgramError{Argv: argv, Output: out}
	}
	return out.Stdout, nil
}

// try runs a program and reports whether it succeeded. Its failure or absence is only logged.
func (h Host) try(ctx context.Context, argv ...string) bool {
	if _, err := h.program(ctx, argv...); err != nil {
		h.warn("%v", err)
		return false
	}
	return true
}
