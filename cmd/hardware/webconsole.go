package hardware

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/session"
)

func (a *app) webConsoleCommand() *cobra.Command {
	var open, keep bool
	cmd := a.NodeCommand("console NODE", func(cmd *cobra.Command, s *session.Session, n *models.Node) error {
		consoles := provision.NewConsoles(s.Client, s.Runner(&audit.LazyFile{Path: s.Files.Audit}), nil)
		page, err := consoles.OpenGraphical(cmd.Context(), n.Ref())
		if err != nil {
			return err
		}
		return a.showWebConsole(cmd.Context(), page, open, keep)
	})
	cmd.Flags().BoolVar(&open, "open", false, "open the URL in a browser")
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the console enabled and exit")
	return cmd
}

// showWebConsole prints the address of a node's graphical console, and opens it in the browser if open is set. Unless
// keep is set, a console that had to be enabled is disabled again when the command is interrupted.
func (a *app) showWebConsole(ctx context.Context, page *provision.GraphicalConsole, open, keep bool) error {
	if err := a.PrintOut("%s\n", page.Address().Reveal()); err != nil {
		return err
	}
	if open {
		if err := a.browse(ctx, page.Address().Reveal()); err != nil {
			a.PrintMessage("%v", err)
		}
	}
	if keep || !page.Enabled() {
		return nil
	}
	a.PrintMessage("console enabled; Ctrl-C disables it")
	<-ctx.Done()
	return page.Close(context.WithoutCancel(ctx))
}

// browse opens a URL in the operator's browser, using $BROWSER or else the operating system's program for opening
// URLs.
func (a *app) browse(ctx context.Context, url string) error {
	program := a.Options.Env("BROWSER")
	if program == "" {
		program = map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	}
	if program == "" {
		program = "xdg-open"
	}
	if err := exec.CommandContext(context.WithoutCancel(ctx), program, url).Start(); err != nil { //nolint:gosec // the operator's program
		return fmt.Errorf("open the browser: %s; set $BROWSER", printable.Line(err.Error()))
	}
	return nil
}
