package screen

import (
	"fmt"
	"strings"

	"ironworks/models"
)

// NodeCopies is what can be copied of a node anywhere.
func NodeCopies(env *Env, n *models.Node) []Copyable {
	copies := []Copyable{{"uuid", n.UUID}}
	if n.Name != "" {
		copies = append(copies, Copyable{"name", models.Printable(n.Name)})
	}
	if env.Session == nil {
		return copies
	}
	return append(copies,
		Copyable{"request", env.Request("/v1/nodes/" + n.UUID)},
		Copyable{"command", env.CommandLine("node", n.Label())},
	)
}

// Request is a request of Ironic's API as curl sends it, without credentials.
func (e *Env) Request(path string) string {
	v, _ := e.Session.API.Version()
	endpoint := strings.TrimSuffix(strings.TrimSuffix(e.Session.API.Endpoint(), "/"), "/v1")
	return fmt.Sprintf("curl -H 'X-OpenStack-Ironic-API-Version: %s' %s", v, Quoted(endpoint+path))
}

// CommandLine is what does the same from a shell.
func (e *Env) CommandLine(args ...string) string {
	words := []string{e.Program}
	for _, a := range args {
		words = append(words, Quoted(a))
	}
	if e.Session != nil {
		words = append(words, e.Session.Options...)
	}
	return strings.Join(words, " ")
}

// Quoted is text as a POSIX shell takes it literally.
func Quoted(s string) string {
	s = models.Printable(s)
	harmless := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+", r)
	})
	if harmless {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
