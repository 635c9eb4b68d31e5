package lab

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/lab"
	"ironworks/lab/vm"
)

func (a *app) labSnapshotCommand() *cobra.Command {
	var dir string
	var remove, list bool
	cmd := &cobra.Command{
		Use: "snapshot NAME [MACHINE...]",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case list && (remove || len(args) > 0):
				return cli.Usagef("--list takes no NAME")
			case list:
				return a.labSnapshots(dir)
			case remove:
				return a.eachVirtual(cmd.Context(), dir, args, "removed", vm.RemoveSnapshot)
			}
			return a.eachVirtual(cmd.Context(), dir, args, "kept", vm.Snapshot)
		},
	}
	cmd.Flags().StringVar(&dir, "lab-state", "", "directory given to lab up --lab-state")
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the snapshot")
	cmd.Flags().BoolVar(&list, "list", false, "list the snapshots")
	return cmd
}

func (a *app) labRestoreCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "restore NAME [MACHINE...]",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachVirtual(cmd.Context(), dir, args, "restored", vm.Restore)
		},
	}
	cmd.Flags().StringVar(&dir, "lab-state", "", "directory given to lab up --lab-state")
	return cmd
}

// virtualMachines returns the sorted names of a lab's virtual machines, and a function that returns their folders.
func virtualMachines(dir string) (names []string, folder func(name string) string, err error) {
	if dir == "" {
		return nil, nil, cli.Usagef("--lab-state DIR is required, as given to lab up")
	}
	names, folder, err = lab.VirtualFolders(dir)
	if err == nil && len(names) == 0 {
		err = cli.Usagef("--lab-state %s: no virtual machines in this directory", dir)
	}
	return names, folder, err
}

// eachVirtual calls work for the named machines, or for all. The first of args is the name of a snapshot.
func (a *app) eachVirtual(
	ctx context.Context, dir string, args []string, done string, work func(ctx context.Context, host vm.Host, folder, name string) error,
) error {
	if len(args) == 0 {
		return cli.Usagef("no snapshot given: NAME is required")
	}
	name, wanted := args[0], args[1:]
	if err := vm.CheckSnapshotName(name); err != nil {
		return cli.Usagef("%w", err)
	}
	all, folder, err := virtualMachines(dir)
	if err != nil {
		return err
	}
	for _, machine := range wanted {
		if !slices.Contains(all, machine) {
			return cli.Usagef("no virtual machine %q in %s%s", machine, dir, cli.DidYouMean(machine, all))
		}
	}
	if len(wanted) == 0 {
		wanted = all
	}
	host, err := vm.FindPrograms(vm.HostOptions{})
	if err != nil {
		return err
	}
	type line struct {
		Machine string `json:"machine"`
		Result  string `json:"result"`
		Reason  string `json:"reason,omitempty"`
	}
	lines, code := []line{}, cli.ExitOK
	r := cli.Result{Header: []string{"MACHINE", "RESULT", "REASON"}}
	for _, machine := range wanted {
		one := line{Machine: machine, Result: done}
		if err := work(ctx, host, folder(machine), name); err != nil {
			one.Result, one.Reason, code = "failed", err.Error(), cli.ExitFailed
		}
		lines = append(lines, one)
		r.Add(machine, one.Machine, one.Result, one.Reason)
	}
	r.Data = lines
	return a.PrintExit(r, code)
}

func (a *app) labSnapshots(dir string) error {
	all, folder, err := virtualMachines(dir)
	if err != nil {
		return err
	}
	type line struct {
		Machine  string `json:"machine"`
		Snapshot string `json:"snapshot"`
	}
	lines := []line{}
	r := cli.Result{Empty: "No snapshots.", Header: []string{"MACHINE", "SNAPSHOT"}}
	for _, machine := range all {
		names, err := vm.Snapshots(folder(machine))
		if err != nil {
			return err
		}
		for _, name := range names {
			lines = append(lines, line{machine, name})
			r.Add(name, machine, name)
		}
	}
	r.Data = lines
	return a.Print(r)
}
