package provision

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/models/plan"
)

// PlanFile is a plan, and the folder that its relative paths are in; "" is where the
// program was started.
type PlanFile struct {
	Plan *plan.Plan
	Dir  string
}

// PlanError says that a file was read and is no plan.
type PlanError struct {
	Path string
	Err  error
}

func (e *PlanError) Error() string {
	return fmt.Sprintf("plan %s:\n%v", models.Printable(e.Path), e.Err)
}

// Unwrap gives what is wrong with it.
func (e *PlanError) Unwrap() error { return e.Err }

// ReadPlan reads a plan of a file. A leading ~/ is the home folder. The error is a
// [*PlanError] where there is a file.
func ReadPlan(path string) (PlanFile, error) {
	path = homePath(path)
	data, err := os.ReadFile(path) //nolint:gosec // the user's own file
	if err != nil {
		return PlanFile{}, err
	}
	plan, err := plan.Decode(data)
	if err != nil {
		return PlanFile{}, &PlanError{Path: path, Err: err}
	}
	return PlanFile{Plan: plan, Dir: filepath.Dir(path)}, nil
}

// Write writes the plan to a file; one that is there is replaced by force only. The paths
// in the plan that comes back are relative to the new file's folder, where they were not
// absolute.
func (f PlanFile) Write(ctx context.Context, path string, force bool) (PlanFile, error) {
	path = homePath(path)
	moved := PlanFile{Plan: f.Plan.Clone(), Dir: filepath.Dir(path)}
	if err := f.rebase(&moved.Plan.Fields, moved.Dir); err != nil {
		return f, err
	}
	for i := range moved.Plan.Nodes {
		if err := f.rebase(&moved.Plan.Nodes[i].Fields, moved.Dir); err != nil {
			return f, err
		}
	}
	text, err := moved.Plan.Encode()
	if err != nil {
		return f, err
	}
	if err := prepare.WriteFile(ctx, path, bytes.NewReader(text), force); err != nil {
		return f, err
	}
	// What comes back is the plan of that very file, so that the next one keeps its comments.
	written, err := plan.Decode(text)
	if err != nil {
		return f, fmt.Errorf("plan %s cannot be read again: %w", path, err)
	}
	moved.Plan = written
	return moved, nil
}

func (f PlanFile) rebase(fields *plan.Fields, to string) error {
	file := fields.ConfigDrive.UserDataFile
	if file == "" || filepath.IsAbs(file) || strings.HasPrefix(file, "~/") || f.Dir == to {
		return nil
	}
	from, err := filepath.Abs(filepath.Join(f.Dir, file))
	if err != nil {
		return err
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	if fields.ConfigDrive.UserDataFile, err = filepath.Rel(to, from); err != nil {
		fields.ConfigDrive.UserDataFile = from
	}
	return nil
}

// Path is where a file is that the plan names.
func (f PlanFile) Path(file string) string {
	if file = homePath(file); filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(f.Dir, file)
}

// For is a node's deployment, with its files read: for [DeployOptions].
func (f PlanFile) For(n *models.Node) (Deployment, error) { return f.With(f.Plan.ForNode(n.Ref())) }

// With is the deployment of such fields as a plan in this place has, with their files
// read.
func (f PlanFile) With(fields plan.Fields) (Deployment, error) {
	d := Deployment{Fields: fields, FilesDir: f.Dir}
	file := d.Fields.ConfigDrive.UserDataFile
	if file == "" {
		return d, nil
	}
	d, err := d.WithUserDataFile(f.Path(file))
	if err != nil {
		return d, fmt.Errorf("configdrive.user_data_file: %w", err)
	}
	return d, nil
}

// homePath resolves a leading ~/, which no shell has done.
func homePath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}
