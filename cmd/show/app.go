// Package show implements the commands that only read: lists, logs, explanations, history and diagnosis.
package show

import (
	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

// app extends [cli.App] with the commands of this package.
type app struct{ *cli.App }

// Commands returns the commands of the package.
func Commands(a *cli.App) []*cobra.Command {
	x := &app{a}
	return []*cobra.Command{
		x.exportCommand(), x.nodesCommand(), x.nodeCommand(), x.watchCommand(), x.logsCommand(), x.sshCommand(), x.driversCommand(), x.conductorsCommand(), x.validateCommand(), x.historyCommand(), x.explainCommand(), x.doctorCommand(), x.configCommand(), x.versionCommand(),
	}
}
