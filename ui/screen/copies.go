package screen

import (
	"fmt"
	"strings"

	"ironworks/models"
)

// NodeCopies returns the texts about the node n that every screen offers for copying.
func NodeCopies(env *Env, n *models.Node) []Copyable {
	copies := []Copyable{{Name: "uuid", Text: n.UUID}}
	if n.Name != "" {
		copies = append(copies, Copyable{Name: "name", Text: n.Name})
	}
	if env.Session == nil {
		return copies
	}
	return append(copies,
		Copyable{Name: "request", Text: env.Request("/v1/nodes/" + n.UUID)},
		Copyable{Name: "command", Text: env.CommandLine("node", n.Label())},
	)
}

// Request returns the curl command that sends a GET request for path to Ironic. The command contains no credentials.
func (e *Env) Request(path string) string {
	v, _ := e.Session.API.Version()
	endpoint := strings.TrimSuffix(strings.TrimSuffix(e.Session.API.Endpoint(), "/"), "/v1")
	return fmt.Sprintf("curl -H 'X-OpenStack-Ironic-API-Version: %s' %s", v, Quoted(endpoint+path))
}

// CommandLine returns the shell command that runs the program with the given arguments and with the options that
// select the current context.
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

// Quoted quotes s for a POSIX shell if it contains special characters or is empty.
func Quoted(s string) string {
	harmless := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+", r)
	})
	if harmless {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
