package cmd

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

// unfinishedFlags are for deployments that were interrupted.
type unfinishedFlags struct{ list, resume, giveBack bool }

func (f *unfinishedFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.list, "unfinished", false, "list the deployments that were interrupted")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "go on with what was interrupted, of these nodes or of all, and follow it")
	cmd.Flags().BoolVar(&f.giveBack, "give-back", false, "take back what interrupted deployments have changed, and forget them")
}

// deployOrGoOn begins deployments, or does something about those that were begun.
func (a *app) deployOrGoOn(cmd *cobra.Command, v models.Verb, names []string, flags *deployFlags) error {
	u := flags.unfinished
	if !u.list && !u.resume && !u.giveBack {
		return a.deploy(cmd, v, names, flags)
	}
	goes := []string{"unfinished", "resume", "give-back", "timeout", "yes", "skip-refused", "wait", "dry-run"}
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(goes, f.Name) && cmd.InheritedFlags().Lookup(f.Name) == nil {
			wrong = usagef("--%s does not go with deployments that were begun: what they are was written down then", f.Name)
		}
	})
	switch {
	case wrong != nil:
		return wrong
	case u.list && u.resume, u.list && u.giveBack, u.resume && u.giveBack:
		return usagef("--unfinished, --resume and --give-back exclude each other")
	case u.list:
		return a.listUnfinished(cmd, names)
	}
	return a.goOn(cmd, names, flags)
}

// listUnfinished needs no connection.
func (a *app) listUnfinished(cmd *cobra.Command, names []string) error {
	cfg, err := a.load(cmd)
	if err != nil {
		return err
	}
	host := a.host()
	list, err := host.Deployments(&cfg.Current).Unfinished(time.Now())
	if err != nil {
		a.complain("%v", err)
	}
	r := result{header: []string{"NODE", "STAGE", "BEGAN", "INSTANCE"}}
	shown := []provision.Unfinished{}
	for _, u := range list {
		if len(names) > 0 && !slices.Contains(names, u.Node.Name) && !slices.Contains(names, u.Node.UUID) {
			continue
		}
		shown = append(shown, u)
		r.names = append(r.names, u.Node.Label())
		r.rows = append(r.rows, []string{u.Node.Label(), string(u.Stage), u.Began.Local().Format(time.DateTime), u.Instance})
	}
	r.data = shown
	return a.print(r)
}

// goOn goes on with deployments that were begun, or gives back what they have changed.
func (a *app) goOn(cmd *cobra.Command, names []string, flags *deployFlags) error {
	s, err := a.connect(cmd)
	if err != nil {
		return err
	}
	defer s.Close()
	checks := s.Preflighter()
	nodes, err := a.begun(cmd.Context(), s, checks.Deployments, names, flags.unfinished.giveBack)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		a.complain("there is no unfinished deployment to go on with")
		return nil
	}
	action := provision.Resume(checks)
	if flags.unfinished.giveBack {
		action = provision.GiveBack(checks)
	}
	flags.wait = true // who goes on wants to know how it ends
	return a.deployNodes(cmd, s, action, nodes, flags)
}

// begun finds the nodes of deployments that were begun: those that are named, or all. A
// node that is not there is no hindrance, and forgotten only where that is asked for:
// it may just not be shown to this user.
func (a *app) begun(ctx context.Context, s *session.Session, d *provision.Deployments, names []string, forget bool) ([]models.Node, error) {
	list, err := d.List(time.Now())
	if err != nil {
		a.complain("%v", err)
	}
	list = slices.DeleteFunc(list, func(u provision.Unfinished) bool {
		if len(names) == 0 {
			return u.Stage == provision.StageSent
		}
		return !slices.Contains(names, u.Node.Name) && !slices.Contains(names, u.Node.UUID)
	})
	for _, name := range names {
		if !slices.ContainsFunc(list, func(u provision.Unfinished) bool { return u.Node.Name == name || u.Node.UUID == name }) {
			return nil, usagef("%s has no unfinished deployment; ironworks deploy --unfinished lists them", models.Printable(name))
		}
	}
	nodes, gone, err := provision.FindUnfinished(ctx, s.Client, list)
	for _, u := range gone {
		if !forget {
			a.complain("%s: there is no such node now; ironworks deploy --give-back %s forgets its deployment",
				models.Printable(u.Node.Label()), models.Printable(u.Node.UUID))
			continue
		}
		if err := d.Forget(u.Node.UUID); err != nil {
			return nil, err
		}
		a.complain("%s: there is no such node now, its deployment is forgotten", models.Printable(u.Node.Label()))
	}
	return nodes, err
}
