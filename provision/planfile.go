package provision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
)

// PlanFile is a plan. Its relative paths refer to the folder Dir or, if Dir is empty, to the working directory.
type PlanFile struct {
	Plan *plan.Plan
	Dir  string
	// WhyNoFiles is the reason why the files named in the plan are not read. If it is empty, they are read.
	WhyNoFiles string
}

// PlanError reports that a file could be read but is not a valid plan.
type PlanError struct {
	Path string
	Err  error
}

func (e *PlanError) Error() string {
	return fmt.Sprintf("plan %s:\n%v", printable.Line(e.Path), e.Err)
}

// Unwrap returns the underlying error.
func (e *PlanError) Unwrap() error { return e.Err }

// ReadPlan reads a plan from the file at path, in which ~/ is the home folder. An invalid plan is a [*PlanError].
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

// Write writes the plan to the file at path. It replaces an existing file only if force is true. In the plan that it
// returns, paths are relative to the folder of the new file.
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
	// Return the plan as decoded from this file, so that the next Write preserves its comments.
	written, err := plan.Decode(text)
	if err != nil {
		return f, fmt.Errorf("cannot read back plan %s: %w", path, err)
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

// Path returns the path of a file that is named in the plan.
func (f PlanFile) Path(file string) string {
	if file = homePath(file); filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(f.Dir, file)
}

// DeploymentOf returns the node's deployment with its files, for [Deploy].
func (f PlanFile) DeploymentOf(n *models.Node) (Deployment, error) {
	return f.WithFields(f.Plan.ForNode(n.Ref()))
}

// Overlay holds values that apply to all nodes and override the values in a plan.
type Overlay struct {
	Fields plan.Fields
	// ConfigDrive is for [Deployment.WithConfigDrive]. If it is nil, the plan's configdrive is used.
	ConfigDrive any
	// UserData and FilesDir are described at [Deployment]. If UserData is nil, the plan's user data is used.
	UserData []byte
	FilesDir string
}

// WithOverlay returns the deployments of the plan with the overlay. To detect errors early, it reads all files once
// in advance, both for each node in the plan and for nodes that the plan does not name.
func (f PlanFile) WithOverlay(o Overlay) (DeploymentOf, error) {
	for _, node := range append([]plan.Node{{}}, f.Plan.Nodes...) {
		if _, err := f.withOverlay(o, f.Plan.For(node.Name)); err != nil {
			return nil, err
		}
	}
	return func(n *models.Node) (Deployment, error) { return f.withOverlay(o, f.Plan.ForNode(n.Ref())) }, nil
}

func (f PlanFile) withOverlay(o Overlay, fields plan.Fields) (Deployment, error) {
	fields = fields.With(o.Fields)
	if o.ConfigDrive != nil || o.UserData != nil { // this replaces the user data file of the plan, so do not read it
		fields.ConfigDrive.UserDataFile = ""
	}
	d, err := f.WithFields(fields)
	if err != nil {
		return d, err
	}
	if d, err = d.WithConfigDrive(o.ConfigDrive); err == nil && o.UserData != nil {
		d.UserData, d.FilesDir = o.UserData, o.FilesDir
	}
	return d, err
}

// WithFields returns the deployment described by fields, with its files. Paths are relative to the plan's folder.
func (f PlanFile) WithFields(fields plan.Fields) (Deployment, error) {
	d := Deployment{Fields: fields, FilesDir: f.Dir}
	file := d.Fields.ConfigDrive.UserDataFile
	switch {
	case file == "":
		return d, nil
	case f.WhyNoFiles != "":
		return d, fmt.Errorf("configdrive.user_data_file: %s", f.WhyNoFiles)
	}
	d, err := d.WithUserDataFile(f.Path(file))
	if err != nil {
		return d, fmt.Errorf("configdrive.user_data_file: %w", err)
	}
	return d, nil
}

// homePath replaces a leading ~/ with the home folder, in case no shell has expanded it.
func homePath(path string) string {
	home, _ := os.UserHomeDir() // without a home folder, ~ is a name
	return prepare.HomePath(home, path)
}

// PlanText is a temporary file whose text the operator edits. The folder of the file is readable only by its owner,
// because the text may contain secret user data. This also protects backup files that the editor writes.
type PlanText struct {
	// Path is the path of the file to edit.
	Path string
}

// NewPlanText writes the text of a plan into a temporary file. [PlanText.Read] removes the file.
func NewPlanText(text []byte) (PlanText, error) { return NewEditText("plan", text) }

// NewEditText does the same as NewPlanText for a document of another kind. The kind becomes part of the file name.
func NewEditText(kind string, text []byte) (PlanText, error) {
	dir, err := os.MkdirTemp("", "ironworks-"+kind+"-")
	path := filepath.Join(dir, kind+".yaml")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return PlanText{}, errors.Join(fmt.Errorf("write the %s for the editor: %w", kind, err), os.RemoveAll(dir))
	}
	return PlanText{Path: path}, nil
}

// Read returns the edited text, cut if it is too long for a plan, and removes the folder with all files.
func (p PlanText) Read() (text []byte, err error) {
	defer func() {
		if gone := os.RemoveAll(filepath.Dir(p.Path)); gone != nil && err == nil {
			err = fmt.Errorf("remove the temporary file: %w", gone)
		}
	}()
	file, err := os.Open(p.Path)
	if err == nil {
		defer func() { _ = file.Close() }()
		text, err = io.ReadAll(io.LimitReader(file, plan.MaxSize+1))
	}
	if err != nil {
		return nil, fmt.Errorf("read the edited file: %w", err)
	}
	return text, nil
}
