package cmd

import (
	"errors"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// serialNeeds says what --source serial lacks.
func serialNeeds(nodes []string, follow bool) error {
	switch {
	case len(nodes) == 0:
		return errors.New("--source serial: whose console? name a NODE")
	case !follow:
		return errors.New("--source serial: a serial console keeps nothing; -f follows what comes from now on")
	}
	return nil
}

// lends is a Consoles for a command, which complains of what is left enabled.
func (a *app) lends(s *session.Session) *provision.Consoles {
	runner := s.Runner(&audit.Late{Path: s.Files.Audit})
	return provision.NewConsoles(s.Client, runner, func(text string) { a.complain("%s", models.Printable(text)) })
}
