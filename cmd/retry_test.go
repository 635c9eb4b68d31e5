package cmd

import (
	"testing"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
)

func TestDeployAgain(t *testing.T) {
	t.Parallel()
	var got string
	a := newApp(cli.Process{})
	root := a.rootCommand()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "deploy" {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error {
				got = cli.DeployAgain(cmd, []string{"n2", "n 3"})
				return nil
			}
		}
	}
	root.SetArgs([]string{
		"deploy", "n1", "n2", "n 3", "-c", "rack7", "-f", "a b.yaml", "--yes", "--follow", "--timeout", "1m", "--override", "inventory",
		"--override", "single-disk", "--confirm", "n1", "--confirm", "n2", "--root-device", `{"serial": "S1"}`, "--configdrive", ` {"user_data": "hunter2"}`,
	})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	want := "ironworks deploy n2 'n 3' --configdrive=CONFIGDRIVE --confirm=n2 --context=rack7 --file='a b.yaml' --override=inventory " +
		`--override=single-disk --root-device='{"serial": "S1"}' --timeout=1m0s --wait --yes`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
