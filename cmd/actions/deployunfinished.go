package actions

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// unfinishedFlags select what to do with interrupted deployments.
type unfinishedFlags struct{ list, resume, giveBack bool }

func (f *unfinishedFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.list, "unfinished", false, "list interrupted deployments")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "resume the interrupted deployments of the given nodes, or of all nodes, and wait")
	cmd.Flags().BoolVar(&f.giveBack, "give-back", false, "undo and forget interrupted deployments")
}

// deployOrResume starts deployments, or lists, resumes or reverts interrupted ones.
func (a *app) deployOrResume(cmd *cobra.Command, v models.Verb, names []string, flags *deployFlags) error {
	u := flags.unfinished
	if !u.list && !u.resume && !u.giveBack {
		return a.deploy(cmd, v, names, flags)
	}
	goes := []string{"unfinished", "resume", "give-back", "timeout", "yes", "skip-refused", "wait", "dry-run"}
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(goes, f.Name) && cmd.InheritedFlags().Lookup(f.Name) == nil {
			wrong = cli.Usagef("--%s cannot change a deployment that has already started: its options were recorded at the start", f.Name)
		}
	})
	switch {
	case wrong != nil:
		return wrong
	case u.list && u.resume, u.list && u.giveBack, u.resume && u.giveBack:
		return cli.Usagef("--unfinished, --resume and --give-back cannot be combined")
	case u.list:
		return a.listUnfinished(cmd, names)
	}
	return a.resumeUnfinished(cmd, names, flags)
}

// listUnfinished lists interrupted deployments. It needs no connection to Ironic.
func (a *app) listUnfinished(cmd *cobra.Command, names []string) error {
	cfg, err := a.Load(cmd)
	if err != nil {
		return err
	}
	host := a.Host()
	list, err := host.Deployments(&cfg.Current).Unfinished(time.Now())
	if err != nil {
		a.PrintMessage("%v", err)
	}
	r := cli.Result{Empty: "No unfinished deployments.", Header: []string{"NODE", "STAGE", "BEGAN", "INSTANCE"}}
	shown := []provision.Unfinished{}
	for _, u := range list {
		if len(names) > 0 && !u.Node.Named(names...) {
			continue
		}
		shown = append(shown, u)
		r.Add(u.Node.Label(), u.Node.Label(), string(u.Stage), u.Started.Local().Format(time.DateTime), u.Instance)
	}
	r.Data = shown
	return a.Print(r)
}

// resumeUnfinished resumes interrupted deployments. With --give-back, it reverts their changes instead.
func (a *app) resumeUnfinished(cmd *cobra.Command, names []string, flags *deployFlags) error {
	s, err := a.Connect(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	checks := s.Preflighter()
	nodes, err := a.unfinishedNodes(cmd.Context(), s, checks.Deployments, names, flags.unfinished.giveBack)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		a.PrintMessage("no unfinished deployments")
		return nil
	}
	action := provision.Resume(checks)
	if flags.unfinished.giveBack {
		action = provision.GiveBack(checks)
	}
	flags.Wait = true
	return a.deployNodes(cmd, s, action, nodes, flags)
}

// unfinishedNodes finds the nodes with interrupted deployments. If names is empty, it returns all of them except
// those in [provision.StageSent]; otherwise, it returns the named ones. It skips nodes that are missing from Ironic.
// It removes the record of a missing node only if forget is set, because the node may just be hidden from this user.
func (a *app) unfinishedNodes(ctx context.Context, s *session.Session, d *provision.Deployments, names []string, forget bool) ([]models.Node, error) {
	list, err := d.List(time.Now())
	if err != nil {
		a.PrintMessage("%v", err)
	}
	list = slices.DeleteFunc(list, func(u provision.Unfinished) bool {
		if len(names) == 0 {
			return u.Stage == provision.StageSent
		}
		return !u.Node.Named(names...)
	})
	for _, name := range names {
		if !slices.ContainsFunc(list, func(u provision.Unfinished) bool { return u.Node.Named(name) }) {
			return nil, cli.Usagef("%s has no unfinished deployment; ironworks deploy --unfinished lists unfinished deployments", name)
		}
	}
	nodes, gone, err := provision.FindUnfinished(ctx, s.Client, list)
	for _, u := range gone {
		if !forget {
			a.PrintMessage("%s: node not found; ironworks deploy --give-back %s discards its deployment",
				u.Node.Label(), u.Node.UUID)
			continue
		}
		if err := d.Forget(u.Node.UUID); err != nil {
			return nil, err
		}
		a.PrintMessage("%s: node not found, deployment discarded", u.Node.Label())
	}
	return nodes, err
}
