package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"ironworks/lab/vm"
)

func (a *app) labSnapshotCommand() *cobra.Command {
	var dir string
	var remove, list bool
	cmd := &cobra.Command{
		Use: "snapshot NAME [MACHINE...]", Short: "Keep the disks and UEFI variables of the lab's virtual machines",
		Long: "Keep the disks and UEFI variables of virtual machines (all of them, unless some are named) under a name.\n" +
			"The machines have to be off; the lab may run. What Ironic knows of the nodes is not part of it.",
		Example: "  ironworks lab snapshot --lab-state ~/lab clean\n  ironworks lab snapshot --lab-state ~/lab --list",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case list && (remove || len(args) > 0):
				return usagef("--list takes no NAME")
			case list:
				return a.labSnapshots(dir)
			case remove:
				return a.eachVirtual(cmd.Context(), dir, args, "removed", vm.RemoveSnapshot)
			}
			return a.eachVirtual(cmd.Context(), dir, args, "kept", vm.Snapshot)
		},
	}
	cmd.Flags().StringVar(&dir, "lab-state", "", "the folder of lab up --lab-state")
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the snapshot")
	cmd.Flags().BoolVar(&list, "list", false, "list the snapshots")
	return cmd
}

func (a *app) labRestoreCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "restore NAME [MACHINE...]", Short: "Put the lab's virtual machines back into the state of a snapshot",
		Long: "Put disks and UEFI variables of virtual machines (all of them, unless some are named) back into the\n" +
			"state of a snapshot, which stays. The machines have to be off; the lab may run. Ironic does not notice.",
		Example: "  ironworks lab restore --lab-state ~/lab clean vm1",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachVirtual(cmd.Context(), dir, args, "restored", vm.Restore)
		},
	}
	cmd.Flags().StringVar(&dir, "lab-state", "", "the folder of lab up --lab-state")
	return cmd
}

// virtualNames are the virtual machines of a lab, sorted.
func virtualNames(dir string) ([]string, error) {
	if dir == "" {
		return nil, usagef("--lab-state: which lab? Name the folder of lab up --lab-state")
	}
	entries, err := os.ReadDir(filepath.Join(dir, virtualFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the lab: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil, usagef("--lab-state %s: no virtual machines there", dir)
	}
	return names, nil
}

// eachVirtual works on the machines that are named, and reports each.
func (a *app) eachVirtual(
	ctx context.Context, dir string, args []string, done string, work func(ctx context.Context, host vm.Host, folder, name string) error,
) error {
	if len(args) == 0 {
		return usagef("which snapshot? Give a NAME")
	}
	name, wanted := args[0], args[1:]
	if err := vm.CheckSnapshotName(name); err != nil {
		return usagef("%w", err)
	}
	all, err := virtualNames(dir)
	if err != nil {
		return err
	}
	for _, machine := range wanted {
		if !slices.Contains(all, machine) {
			return usagef("%s: no such virtual machine in %s", machine, dir)
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
		Machine string `json:"machine" yaml:"machine"`
		Result  string `json:"result" yaml:"result"`
		Reason  string `json:"reason,omitempty" yaml:"reason,omitempty"`
	}
	lines, failed := []line{}, false
	r := result{header: []string{"MACHINE", "RESULT", "REASON"}}
	for _, machine := range wanted {
		one := line{Machine: machine, Result: done}
		if err := work(ctx, host, filepath.Join(dir, virtualFolder, machine), name); err != nil {
			one.Result, one.Reason, failed = "failed", err.Error(), true
		}
		lines = append(lines, one)
		r.names = append(r.names, machine)
		r.rows = append(r.rows, []string{one.Machine, one.Result, one.Reason})
	}
	r.data = lines
	if err := a.print(r); err != nil || !failed {
		return err
	}
	return &codeError{code: exitFailed}
}

// labSnapshots lists them, by machine.
func (a *app) labSnapshots(dir string) error {
	all, err := virtualNames(dir)
	if err != nil {
		return err
	}
	type line struct {
		Machine  string `json:"machine" yaml:"machine"`
		Snapshot string `json:"snapshot" yaml:"snapshot"`
	}
	lines := []line{}
	r := result{header: []string{"MACHINE", "SNAPSHOT"}}
	for _, machine := range all {
		names, err := vm.Snapshots(filepath.Join(dir, virtualFolder, machine))
		if err != nil {
			return err
		}
		for _, name := range names {
			lines = append(lines, line{machine, name})
			r.names = append(r.names, name)
			r.rows = append(r.rows, []string{machine, name})
		}
	}
	r.data = lines
	return a.print(r)
}
