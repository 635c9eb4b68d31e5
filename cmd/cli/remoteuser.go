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
	// Tasks contains the tasks of the server that the user may see.
	Tasks *screen.TaskList
}

// connect returns the server's session, restricted to what the user may see and do.
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

// TextNoFiles is the refusal shown for a file name in a command over SSH.
const TextNoFiles = "files on the server are not available over SSH; pass the content on standard input (-)"

// WhyNoFiles returns the reason why the operator cannot name files, or "" if files can be named.
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
