package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ironworks/config"
	"ironworks/models"
	"ironworks/presence"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/sshserver"
	"ironworks/sshserver/access"
	"ironworks/ui"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/viewstate"
)

// defaultFPS is the default maximum number of times that a console is drawn per second. The first change after a
// pause is drawn immediately. Changes that follow shortly afterwards are drawn together.
const defaultFPS = 60

func (s *consoleServer) console(ctx context.Context, one *sshserver.Session) error {
	if slices.Contains(one.Env, "TERM=dumb") || slices.Contains(one.Env, "TERM=") {
		return errNoTerminal
	}
	member, err := s.member(one)
	if err != nil {
		return err
	}
	keys, err := servedKeymap(s.cfg.Console)
	if err != nil {
		return err
	}
	resizes := func(yield func(width, height int) bool) {
		for size := range one.Resizes {
			if !yield(size.Width, size.Height) {
				return
			}
		}
	}
	record, end, err := s.recordSession(one, member.Actor)
	if err != nil {
		return fmt.Errorf("this session cannot be recorded: %w", err)
	}
	defer end()
	err = ui.Run(ctx, ui.Options{
		Program: "ssh HOST", Keys: keys, ReadOnly: member.ReadOnly,
		Contexts: []screen.Context{s.shown(member)},
		Open:     func(_ string, notice func(string)) (*screen.Session, error) { return s.open(member, notice) },
		Probe: func(context.Context, string) (screen.Health, error) {
			return screen.Health{}, errors.New(textOneContext)
		},
		Tasks: s.tasks.For(member.Actor.User, s.shared.Visible(member)),
		Team: &ui.Team{
			Enter: func(changed func()) *presence.Seat {
				return s.room.Enter(presence.Session{
					User: member.Actor.User, Role: string(one.Role), Fingerprint: one.Fingerprint, Address: one.Address, Nodes: one.Nodes, Since: time.Now(),
				}, changed)
			},
			WhyNoFiles: textNoFilesHere, WhyNoEditor: textNoEditorHere, Forbidden: forbidden(one.Role),
		},
	}, ui.Terminal{In: one.In, Out: one.Out, Env: one.Env, FPS: defaultFPS, Width: one.Size.Width, Height: one.Size.Height, Resizes: resizes, Record: record})
	if crash, is := errors.AsType[*ui.Crash](err); is {
		s.app.crashed(crash.Value, crash.Stack)
		return errors.New("the console crashed (this is a bug); connect again")
	}
	return err
}

// servedKeymap returns the configured keys without plugins: they are programs of the server, and users should not learn
// their command lines.
func servedKeymap(hands config.ConsoleSettings) (*action.Keymap, error) {
	hands.Plugins = nil
	return keymap(hands)
}

const (
	textOneContext      = "the server has only one context"
	textNoFilesHere     = "files on the server are not available; use: ssh HOST deploy -f - NODE < plan.yaml"
	textNoFilesToEnroll = "files on the server are not available; use: ssh HOST enroll -f - < nodes.csv"
	textNoEditorHere    = "no editor over SSH"
	textNotServed       = "not available over SSH"
	textViewer          = "requires the operator role; your role is viewer"
	textReadOnly        = "the server is read-only"
)

// forbidden returns the actions that are not available in a served console, each with the reason.
func forbidden(role access.Role) map[action.ID]string {
	no := map[action.ID]string{}
	for _, id := range []action.ID{action.Suspend, action.GoIgnition, action.Shell, action.LogSave} {
		no[id] = textNotServed
	}
	if role == access.Viewer {
		// Validate and the checks of a deployment make Ironic contact the BMC.
		for _, id := range []action.ID{action.GoEnroll, action.Validate, action.DeployWizard} {
			no[id] = textViewer
		}
	}
	return no
}

func (s *consoleServer) shown(m *session.Member) screen.Context {
	shown := shownContext(&s.cfg.Current, false)
	shown.Current, shown.ReadOnly, shown.WhyReadOnly = true, shown.ReadOnly || m.ReadOnly, textReadOnly
	if m.ReadOnly {
		shown.WhyReadOnly = textViewer
	}
	return shown
}

// open adapts the shared session to the interfaces of a user's screens.
func (s *consoleServer) open(m *session.Member, notice func(string)) (*screen.Session, error) {
	live, err := s.shared.As(m)
	if err != nil {
		return nil, err
	}
	opened := liveScreens(s.shown(m), live)
	opened.Poller = s.shared.PollerOf(m)
	opened.API = sharedAPI{API: opened.API, shared: s.shared}
	opened.Close = func() {}
	opened.Enroll = live.Enrolling().WithoutFiles(textNoFilesToEnroll)
	if !m.Nodes.IsZero() {
		opened.Enroll = nil
	}
	switch {
	case m.ReadOnly:
		opened.Enroll, opened.BMCs = nil, nil
	case opened.BMCs != nil:
		opened.BMCs = sharedBMCs{opened.BMCs}
	}
	opened.ViewFile = viewstate.Open(s.app.Files.View(live.Context.Name + "@" + m.Actor.User))
	if opened.View, err = opened.ViewFile.Load(); err != nil {
		notice(printable.Line(err.Error()))
	}
	return opened, nil
}

// sharedAPI is the API for a user's console. Results that are the same for all consoles come from the server's data.
type sharedAPI struct {
	screen.API
	shared *session.Shared
}

// Conductors returns the conductors from the server's shared data.
func (a sharedAPI) Conductors(ctx context.Context) ([]models.Conductor, error) {
	return a.shared.Conductors(ctx)
}

// sharedBMCs gives users of a server access to BMCs. It offers no keyring, because credentials entered by one user
// would be used for all users.
type sharedBMCs struct{ screen.BMCs }

// HasKeyring returns false, because credentials cannot be stored.
func (sharedBMCs) HasKeyring() bool { return false }

// resume continues the deployments that were interrupted when the previous server ended.
func (s *consoleServer) resume(ctx context.Context) {
	checks := s.shared.Preflighter()
	list, err := checks.Deployments.Unfinished(time.Now())
	if err != nil || len(list) == 0 || s.shared.Context.ReadOnly {
		if err != nil {
			s.app.PrintMessage("interrupted deployments: %v", err)
		}
		return
	}
	nodes, gone, err := provision.FindUnfinished(ctx, s.shared.Client, list)
	for _, u := range gone {
		s.app.PrintMessage("%s: node not found; ironworks deploy --give-back %s discards its deployment", u.Node.Label(), u.Node.UUID)
	}
	if err != nil {
		s.app.PrintMessage("interrupted deployments: %v", err)
		return
	}
	byUser := map[string][]string{}
	for i := range nodes {
		user := ""
		for _, u := range list {
			if u.Node.UUID == nodes[i].UUID {
				user = u.Actor.User
			}
		}
		byUser[user] = append(byUser[user], nodes[i].UUID)
	}
	for user, ids := range byUser {
		s.resumeOf(ctx, user, ids)
	}
}

// resumeOf continues a user's deployments with the overrides that were recorded.
func (s *consoleServer) resumeOf(ctx context.Context, user string, ids []string) {
	runner := *s.shared.Runner
	runner.Actor.User = user
	batch, err := runner.Prepare(ctx, provision.Resume(s.shared.Preflighter()), ids)
	if err != nil {
		s.app.PrintMessage("interrupted deployments: %v", err)
		return
	}
	//nolint:contextcheck // the task has the context of the list
	s.runTask(&screen.Task{Plan: batch, Runner: runner, Command: "ironworks deploy --resume"}, nil)
	s.app.PrintMessage("resumed the deployments of %s (%s)", models.Counted(len(batch.Legal()), "node"), user)
}
