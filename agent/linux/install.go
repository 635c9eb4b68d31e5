package linux

import (
	"context"
	"errors"
	"fmt"
	"os"

	"ironworks/agent"
)

// ignitionFile is the path at which coreos-installer finds the Ignition configuration for the installed system.
const ignitionFile = "/tmp/ironic.ign"

// Install runs coreos-installer. The Ignition configuration may contain secrets, so Install writes it to a file that
// only root can read, and removes this file afterwards.
func (m *Machine) Install(ctx context.Context, install agent.Install, line func(string)) error {
	if install.Ignition != nil {
		file := m.host.path(ignitionFile)
		if err := writeSecret(file, install.Ignition); err != nil {
			return fmt.Errorf("writing the Ignition configuration: %w", err)
		}
		defer func() { _ = os.Remove(file) }()
	}
	out, err := m.host.Run(ctx, Command{Argv: install.CommandLine(ignitionFile), Line: line})
	switch {
	case errors.Is(err, agent.ErrNoProgram):
		return agent.ErrNoInstaller
	case err != nil:
		return fmt.Errorf("running coreos-installer: %w", err)
	case out.Code != 0:
		return &agent.ExitError{Code: out.Code}
	}
	return nil
}

// writeSecret writes content to a file that only root can read. It replaces an existing file.
func writeSecret(name string, content []byte) error {
	const onlyRoot = 0o600
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, onlyRoot) //nolint:gosec // a name of our own
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
