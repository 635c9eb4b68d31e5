package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"ironworks/agent"
)

// installation is the body of a POST install request: a call of coreos-installer.
type installation struct {
	Argv     []string `json:"argv"`
	Ignition []byte   `json:"ignition"`
}

// exitUsage is coreos-installer's exit status for invalid arguments.
const exitUsage = 2

// parse parses the arguments as coreos-installer does. It supports only the arguments that deploy ramdisks use.
func (i installation) parse() (agent.Install, error) {
	var install agent.Install
	if len(i.Argv) == 0 || i.Argv[0] != "install" {
		return install, fmt.Errorf("unrecognized subcommand; this one only knows install")
	}
	rest := i.Argv[1:]
	value := func(flag string) (string, error) {
		if len(rest) == 0 {
			return "", fmt.Errorf("a value is required for '%s' but none was supplied", flag)
		}
		text := rest[0]
		rest = rest[1:]
		return text, nil
	}
	for len(rest) > 0 {
		word := rest[0]
		rest = rest[1:]
		var text string
		var err error
		switch word {
		case "--preserve-on-error", "--insecure", "--offline":
		case "--copy-network":
			install.CopyNetwork = true
		case "--ignition-file":
			_, err = value(word)
			install.Ignition = append([]byte{}, i.Ignition...)
		case "--image-url":
			install.ImageURL, err = value(word)
		case "--append-karg":
			text, err = value(word)
			install.AppendKargs = append(install.AppendKargs, text)
		default:
			if word == "" || word[0] == '-' || install.Device != "" {
				return install, fmt.Errorf("unexpected argument '%s' found", word)
			}
			install.Device = word
		}
		if err != nil {
			return install, err
		}
	}
	if install.Device == "" {
		return install, errors.New("the following required arguments were not provided: <DEST_DEVICE>")
	}
	return install, nil
}

// install runs the installer and sends its lines as they arrive.
func (s *service) install(w http.ResponseWriter, r *http.Request) error {
	var call installation
	if err := read(w, r, &call); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	control, encoder := http.NewResponseController(w), json.NewEncoder(w)
	send := func(what any) {
		// Errors need no handling: if the program no longer reads, it has been killed, and the canceled context ends
		// the installation.
		_ = encoder.Encode(what)
		_ = control.Flush()
	}
	line := func(text string) { send(map[string]string{"line": text}) }
	install, err := call.parse()
	if err != nil {
		line("error: " + err.Error())
		send(map[string]int{"exit": exitUsage})
		return nil //nolint:nilerr // a line of the output reports the error
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
	return nil
}

// runInstaller runs the installer, unless the scenario makes the installer fail or the agent die.
func (s *service) runInstaller(ctx context.Context, install agent.Install, line func(string)) error {
	faults := s.options.Faults
	if s.installFails() {
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

func (s *service) installFails() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.installsToFail == 0 {
		return false
	}
	s.installsToFail--
	return true
}
