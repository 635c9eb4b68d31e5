package linux

import (
	"cmp"
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
	// Root is the folder that contains the host's files. It is "/" for the host on which the agent runs.
	Root string
	// Run runs programs. It is required.
	Run Runner
	// Links reads data about network interfaces that the kernel provides only through sockets. It is required.
	Links Links
	// Warn receives warnings about data that could not be read. It may be nil.
	Warn func(format string, args ...any)
}

// Runner runs a program until it ends. The error is [agent.ErrNoProgram] if the program does not exist. If the
// program fails, the error is nil and the output contains the exit status.
type Runner func(ctx context.Context, command Command) (agent.Output, error)

// Command describes a program to run.
type Command struct {
	Argv  []string
	Stdin io.Reader
	// Line, if set, receives each line of the output and the errors at once, and the output is then not returned.
	Line func(string)
}

// Links reads data about network interfaces from the kernel through sockets.
type Links interface {
	// Addresses returns an interface's IP addresses without prefixes, with zones, in the kernel's order.
	Addresses(name string) []string
	// PermanentMAC returns the MAC address that the manufacturer assigned to the interface, or "" if it is unknown.
	PermanentMAC(name string) string
	// Speed returns the fastest supported speed of the interface, or else the current speed, in Mbit/s, or 0.
	Speed(name string) int
	// LLDP waits for one LLDP frame on each interface, or for ctx. It returns them without Ethernet headers.
	LLDP(ctx context.Context, names []string) (map[string][]byte, error)
}

// path converts the path of a file on the host to a path that the agent can open.
func (h Host) path(name string) string { return filepath.Join(h.Root, name) }

// read returns the content of a file without surrounding white space.
func (h Host) read(name string) (string, error) {
	content, err := os.ReadFile(h.path(name))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(content)), nil
}

// list returns the names of a folder's entries in the order of the file system, like Python's os.listdir.
func (h Host) list(name string) ([]string, error) {
	folder, err := os.Open(h.path(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	return folder.Readdirnames(-1)
}

func (h Host) exists(name string) bool {
	_, err := os.Stat(h.path(name))
	return err == nil
}

// link returns the target of a symbolic link exactly as the link contains it.
func (h Host) link(name string) (string, error) { return os.Readlink(h.path(name)) }

// warnUnreadable warns that an item does not exist on the host or cannot be read. The what argument names the item.
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

// ProgramError is the error of a program that failed. It contains the complete output of the program.
type ProgramError struct {
	Argv   []string
	Output agent.Output
}

func (e *ProgramError) Error() string {
	text := cmp.Or(strings.TrimSpace(e.Output.Stderr), strings.TrimSpace(e.Output.Stdout))
	return fmt.Sprintf("%s failed with exit code %d: %s", strings.Join(e.Argv, " "), e.Output.Code, text)
}

// missingProgram is the error for a program that is not installed on the host. Its value is the name of the program.
type missingProgram string

func (m missingProgram) Error() string { return string(m) + " is not installed on this host" }

// Unwrap makes the error match [agent.ErrNoProgram].
func (missingProgram) Unwrap() error { return agent.ErrNoProgram }

// program returns a program's standard output. The error is a *ProgramError, or matches [agent.ErrNoProgram].
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

// try runs a program and reports whether it succeeded. If it fails or does not exist, try only logs a warning.
func (h Host) try(ctx context.Context, argv ...string) bool {
	if _, err := h.program(ctx, argv...); err != nil {
		h.warn("%v", err)
		return false
	}
	return true
}
