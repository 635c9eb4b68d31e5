package cli

import (
	"slices"

	"ironworks/config"
	"ironworks/models"
	"ironworks/presence"
	"ironworks/session"
	"ironworks/sshserver/access"
	"ironworks/ui/screen"
)

// RemoteUser is a user of ironworks serve who runs a command.
type RemoteUser struct {
	Cfg    *config.Config
	Shared *session.Shared
	Member *session.Member
	Role   access.Role
	Room   *presence.Room
	// Tasks are those tasks of the server that the user may see.
	Tasks *screen.TaskList
}

// connect returns the session of the server with the limits of the user.
func (r *RemoteUser) connect(a *App) (*session.Session, error) {
	member := *r.Member
	member.ReadOnly = member.ReadOnly || a.ReadOnly
	live, err := r.Shared.As(&member)
	if err != nil {
		return nil, err
	}
	a.Opened(live.Client, &live.Context)
	return live.Reporting(func(text string) { a.PrintMessage("%s", text) }), nil
}

// TextNoFiles is the refusal of a file name over SSH.
const TextNoFiles = "files on the server are not available over SSH; pass the content on standard input (-)"

// WhyNoFiles returns why the operator cannot name files. It returns "" if files are possible.
func (a *App) WhyNoFiles() string {
	if a.Remote == nil {
		return ""
	}
	return TextNoFiles
}

// visibleNodes returns the nodes that the user can see.
func (a *App) visibleNodes(nodes []models.NodeRef) []models.NodeRef {
	if a.Remote == nil {
		return nodes
	}
	sees := a.Remote.Shared.Visible(a.Remote.Member)
	if sees == nil {
		return nodes
	}
	return slices.DeleteFunc(nodes, func(n models.NodeRef) bool { return !sees(n.UUID) })
}

// CodeRefusal is a refusal by the server. Its exit code is ExitRefused.
type CodeRefusal struct{ Why string }

func (e *CodeRefusal) Error() string { return e.Why }
