package cmd

import (
	"slices"

	"ironworks/config"
	"ironworks/models"
	"ironworks/presence"
	"ironworks/session"
	"ironworks/sshserver/access"
	"ironworks/ui/screen"
)

// remoteUser is a user of ironworks serve who runs a command.
type remoteUser struct {
	cfg    *config.Config
	shared *session.Shared
	member *session.Member
	role   access.Role
	room   *presence.Room
	// tasks are those tasks of the server that the user may see.
	tasks *screen.TaskList
}

// connect returns the session of the server with the limits of the user.
func (r *remoteUser) connect(a *app) (*session.Session, error) {
	member := *r.member
	member.ReadOnly = member.ReadOnly || a.readOnly
	live, err := r.shared.As(&member)
	if err != nil {
		return nil, err
	}
	a.client, a.keystone = live.Client, live.Context.Connection.Keystone.AuthURL
	return live.Reporting(func(text string) { a.printMessage("%s", text) }), nil
}

const textNoFiles = "files of the server are not available over SSH; pass the content on standard input (-)"

// whyNoFiles returns why the operator cannot name files. It returns "" if files are possible.
func (a *app) whyNoFiles() string {
	if a.remote == nil {
		return ""
	}
	return textNoFiles
}

// codeRefusal is a refusal by the server. The exit code is exitRefused.
type codeRefusal struct{ why string }

// visibleNodes returns the nodes that the user can see.
func (a *app) visibleNodes(nodes []models.NodeRef) []models.NodeRef {
	if a.remote == nil {
		return nodes
	}
	sees := a.remote.shared.Visible(a.remote.member)
	if sees == nil {
		return nodes
	}
	return slices.DeleteFunc(nodes, func(n models.NodeRef) bool { return !sees(n.UUID) })
}

func (e *codeRefusal) Error() string { return e.why }
