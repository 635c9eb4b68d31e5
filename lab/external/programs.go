package external

import (
	"errors"
	"net/http"

	"ironworks/agent"
)

// errNoPrograms reports that programs cannot run on the machine's hardware.
var errNoPrograms = badRequest{errors.New("the machine has no programs")}

func (s *service) programs() (agent.Programs, error) {
	programs, ok := s.hardware.(agent.Programs)
	if !ok {
		return nil, errNoPrograms
	}
	return programs, nil
}

// run runs a program and answers with its output. A missing program causes an error.
func (s *service) run(w http.ResponseWriter, r *http.Request) error {
	var call struct {
		Argv []string `json:"argv"`
	}
	if err := read(w, r, &call); err != nil {
		return err
	}
	programs, err := s.programs()
	if err != nil {
		return err
	}
	if len(call.Argv) == 0 {
		return badRequest{errors.New("no program")}
	}
	out, err := programs.Execute(r.Context(), call.Argv...)
	if err != nil {
		return err
	}
	return write(w, out)
}

// files is the response to a mount request: the files of a device, or the error that occurred when the device was
// mounted.
type files struct {
	Device string       `json:"device"`
	Files  []agent.File `json:"files"`
	Error  string       `json:"error,omitempty"`
}

func (s *service) mount(w http.ResponseWriter, r *http.Request) error {
	programs, err := s.programs()
	if err != nil {
		return err
	}
	answer := files{Device: r.URL.Query().Get("device")}
	answer.Files, err = programs.Mount(r.Context(), answer.Device)
	var refused *agent.MountError
	if errors.As(err, &refused) {
		answer.Error, err = refused.Text, nil
	}
	if err != nil {
		return err
	}
	return write(w, answer)
}

func (s *service) unmount(w http.ResponseWriter, r *http.Request) error {
	var call files
	if err := read(w, r, &call); err != nil {
		return err
	}
	programs, err := s.programs()
	if err != nil {
		return err
	}
	if err := programs.Unmount(r.Context(), call.Device, call.Files); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
