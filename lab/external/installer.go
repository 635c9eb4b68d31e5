package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"ironworks/agent"
)

// exitUsage is coreos-installer's exit status for invalid arguments.
const exitUsage = 2

// parseInstall parses the arguments as coreos-installer does. It supports only the arguments that deploy ramdisks use.
func parseInstall(c body) (agent.Install, error) {
	var install agent.Install
	if len(c.Argv) == 0 || c.Argv[0] != "install" {
		return install, errors.New("unrecognized subcommand; this one only knows install")
	}
	for rest := c.Argv[1:]; len(rest) > 0; {
		word, value := rest[0], ""
		rest = rest[1:]
		if slices.Contains([]string{"--ignition-file", "--image-url", "--append-karg"}, word) {
			if len(rest) == 0 {
				return install, fmt.Errorf("a value is required for '%s' but none was supplied", word)
			}
			value, rest = rest[0], rest[1:]
		}
		switch word {
		case "--preserve-on-error", "--insecure", "--offline":
		case "--copy-network":
			install.CopyNetwork = true
		case "--ignition-file":
			install.Ignition = append([]byte{}, c.Ignition...)
		case "--image-url":
			install.ImageURL = value
		case "--append-karg":
			install.AppendKargs = append(install.AppendKargs, value)
		default:
			if word == "" || word[0] == '-' || install.Device != "" {
				return install, fmt.Errorf("unexpected argument '%s' found", word)
			}
			install.Device = word
		}
	}
	if install.Device == "" {
		return install, errors.New("the following required arguments were not provided: <DEST_DEVICE>")
	}
	return install, nil
}

// install runs the installer and sends its lines as they arrive.
func (s *service) install(w http.ResponseWriter, r *http.Request) {
	c, err := read(r)
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	control, encoder := http.NewResponseController(w), json.NewEncoder(w)
	send := func(what any) {
		// Errors need no handling: if the program no longer reads, it was killed, and ctx ends the installation.
		_ = encoder.Encode(what)
		_ = control.Flush()
	}
	line := func(text string) { send(map[string]string{"line": text}) }
	install, err := parseInstall(c)
	if err != nil {
		line("error: " + err.Error())
		send(map[string]int{"exit": exitUsage})
		return
	}
	err = s.runInstaller(r.Context(), install, line)
	var exit *agent.ExitError
	switch {
	case err == nil:
		send(map[string]int{"exit": 0})
	case errors.As(err, &exit):
		send(map[string]int{"exit": exit.Code})
	case errors.Is(err, agent.ErrNoInstaller):
		send(map[string]bool{"missing": true})
	default:
		line("Error: " + err.Error())
		send(map[string]int{"exit": 1})
	}
}

// runInstaller runs the installer, unless the scenario makes the installer fail or the agent die.
func (s *service) runInstaller(ctx context.Context, install agent.Install, line func(string)) error {
	faults := s.options.Faults
	if s.installs.Add(1) <= int64(faults.InstallFailures) {
		line(faults.InstallMessage)
		return &agent.ExitError{Code: 1}
	}
	if faults.DieInStep != "install_coreos" {
		return s.hardware.Install(ctx, install, line)
	}
	short, cancel := context.WithTimeout(ctx, time.Duration(float64(faults.DieAfter)/s.options.Speed))
	defer cancel()
	err := s.hardware.Install(short, install, line)
	<-short.Done() // if the installation was shorter, wait for the rest of the time
	s.end()
	return err
}
