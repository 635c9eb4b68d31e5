package provision

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/models/plan"
)

// EnrollInput is the operator's input for an enrollment, as typed: nodes from files or machines behind BMCs.
type EnrollInput struct {
	Files []string
	// Format is the format of the files. If it is Auto, the format is detected.
	Format nodefile.Format
	// Columns maps headers of spreadsheets to fields; each element has the form HEADER=FIELD.
	Columns []string
	// Driver is the hardware type for spreadsheet rows that do not name one. If it is empty, it is detected.
	Driver string
	// BMCs lists the hosts, URLs and address ranges of BMCs.
	BMCs []string
	// Names determines how the machines behind BMCs are named.
	Names enroll.Naming
	// Set lists fields to set on every node, each as KEY=VALUE.
	Set []string
	// Credentials is the path of a file with BMC credentials for nodes without a password. It may be empty.
	Credentials string
	// UpdateCredentials also writes the secrets of nodes that already exist in Ironic.
	UpdateCredentials bool
	// Ramdisk is the ramdisk to set on every node whose boot interface supports it.
	Ramdisk EnrollRamdisk
}

// EnrollField identifies a part of the input by the name of its flag.
type EnrollField string

// The parts of an input that an error may name.
const (
	EnrollFile        EnrollField = "file"
	EnrollFormat      EnrollField = "format"
	EnrollColumns     EnrollField = "column"
	EnrollDriver      EnrollField = "driver"
	EnrollBMC         EnrollField = "bmc"
	EnrollNames       EnrollField = "names"
	EnrollSet         EnrollField = "set"
	EnrollCredentials EnrollField = "credentials"
)

// EnrollInputError reports that a part of an input is invalid.
type EnrollInputError struct {
	Field EnrollField
	Err   error
}

// Error returns the error, preceded by the flag of the invalid part.
func (e *EnrollInputError) Error() string { return fmt.Sprintf("--%s: %v", e.Field, e.Err) }

// Unwrap returns the underlying error.
func (e *EnrollInputError) Unwrap() error { return e.Err }

// EnrollSource is a checked input: files to read, BMCs to query, and fields to set.
type EnrollSource struct {
	EnrollInput
	// Fields maps the headers of spreadsheet columns to fields.
	Fields map[string]string
	// Addresses lists the addresses of the BMCs, with ranges expanded.
	Addresses []string
	// Settings lists the fields to set on every node.
	Settings []models.Setting
}

// Parse checks the input without reading any file or querying any BMC. Its errors are of type *EnrollInputError.
func (in EnrollInput) Parse() (EnrollSource, error) { //nolint:gocritic // it is kept
	source := EnrollSource{EnrollInput: in}
	wrong := func(field EnrollField, err error) (EnrollSource, error) {
		return EnrollSource{}, &EnrollInputError{field, err}
	}
	var err error
	if in.Format != nodefile.Auto {
		if _, err = nodefile.ParseFormat(string(in.Format)); err != nil {
			return wrong(EnrollFormat, err)
		}
	}
	if source.Fields, err = nodefile.ParseColumns(in.Columns); err != nil {
		return wrong(EnrollColumns, err)
	}
	switch field := in.sheetField(); {
	case field == "":
	case len(in.BMCs) > 0:
		return wrong(field, errors.New("only for spreadsheets (csv), not for BMCs"))
	case in.Format != nodefile.Auto && in.Format != nodefile.CSV:
		return wrong(field, fmt.Errorf("only for spreadsheets (csv), not for format %s", in.Format))
	}
	if err = in.Names.Check(); err != nil {
		return wrong(EnrollNames, err)
	}
	if source.Addresses, err = enroll.Addresses(in.BMCs); err != nil {
		return wrong(EnrollBMC, err)
	}
	for _, arg := range in.Set {
		setting, err := models.ParseSetting(arg)
		if err != nil {
			return wrong(EnrollSet, err)
		}
		source.Settings = append(source.Settings, setting)
	}
	return source, in.Ramdisk.check()
}

// sheetField returns the first option that is set although it applies only to spreadsheets, or "" if there is none.
func (in *EnrollInput) sheetField() EnrollField {
	switch {
	case len(in.Columns) > 0:
		return EnrollColumns
	case in.Driver != "":
		return EnrollDriver
	}
	return ""
}

// EnrollReader reads the nodes of an input and compares them with Ironic's.
type EnrollReader struct {
	API interface {
		EnrollAPI
		Drivers(ctx context.Context) ([]models.Driver, error)
	}
	// BMCs queries BMCs with the credentials that it knows.
	BMCs *BMCs
	// Open reads a file that lists nodes. If it is nil, [ReadNodeFile] is used.
	Open func(name string) ([]byte, error)
	// WhyNoFiles is the reason why files are refused, for example on a server. If it is empty, they are allowed.
	WhyNoFiles string
	// Mask is called with the secrets of the nodes. It may be nil.
	Mask func(secrets ...models.Secret)
	// Progress, if not nil, is called with the numbers of finished and of all BMCs. It is called from several
	// goroutines and must not block.
	Progress func(done, of int)
}

// EnrollFound holds everything that was read from an input.
type EnrollFound struct {
	// Files lists the files that were read. Their nodes are not completed; use Nodes.
	Files []nodefile.File
	// BMCs lists the results: one for each system found, and one for each address without a system.
	BMCs []Discovered
	// Nodes lists the nodes from the files and the BMCs in the order of the input.
	Nodes []enroll.Node
	// Completed is the number of nodes that got their credentials from the credentials file.
	Completed int
}

// Deployments returns the deployments that the files request.
func (f *EnrollFound) Deployments() *plan.Plan {
	all := &plan.Plan{}
	for i := range f.Files {
		if p := f.Files[i].Plan; p != nil {
			all.Nodes = append(all.Nodes, p.Nodes...)
		}
	}
	return all
}

// CountFailed returns the number of BMC addresses at which no system was found.
func (f *EnrollFound) CountFailed() int {
	n := 0
	for i := range f.BMCs {
		if f.BMCs[i].Status != DiscoveryFound {
			n++
		}
	}
	return n
}

// ReadNodeFile reads the named file, which lists nodes. The file must not be larger than [nodefile.MaxSize].
func ReadNodeFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; specify a file", name)
	case info.Size() > nodefile.MaxSize:
		return nil, fmt.Errorf("%s: %d bytes; the limit is %d; split the file", name, info.Size(), nodefile.MaxSize)
	}
	file, err := os.Open(filepath.Clean(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, nodefile.MaxSize+1)) // Stat reports no size for pipes and devices
	if err == nil && len(data) > nodefile.MaxSize {
		err = fmt.Errorf("%s: larger than the limit of %d bytes; split the file", name, nodefile.MaxSize)
	}
	return data, err
}

// Read reads the files, or queries the BMCs, and completes the nodes with credentials and fields. If it returns an
// error, it also returns the nodes that it has found so far.
func (r *EnrollReader) Read(ctx context.Context, in *EnrollSource) (EnrollFound, error) {
	var found EnrollFound
	if r.WhyNoFiles != "" && (len(in.Files) > 0 || in.Credentials != "") {
		return found, errors.New(r.WhyNoFiles)
	}
	if err := r.readFiles(in, &found); err != nil {
		return found, err
	}
	if err := r.queryBMCs(ctx, in, &found); err != nil {
		return found, err
	}
	return found, r.complete(in, &found)
}

func (r *EnrollReader) readFiles(in *EnrollSource, found *EnrollFound) error {
	open := r.Open
	if open == nil {
		open = ReadNodeFile
	}
	for _, name := range in.Files {
		data, err := open(name)
		if err != nil {
			return err
		}
		file, err := nodefile.Options{File: name, Format: in.Format, Columns: in.Fields, Driver: in.Driver}.Read(data)
		if err != nil {
			return err
		}
		if field := in.sheetField(); field != "" && file.Format != nodefile.CSV {
			return &EnrollInputError{field, fmt.Errorf("only for spreadsheets (csv), but %s has format %s", name, file.Format)}
		}
		found.Nodes = append(found.Nodes, file.Nodes...)
		found.Files = append(found.Files, file)
	}
	return nil
}

func (r *EnrollReader) queryBMCs(ctx context.Context, in *EnrollSource, found *EnrollFound) error {
	if len(in.Addresses) == 0 {
		return nil
	}
	var done atomic.Int64
	found.BMCs = r.BMCs.Discover(ctx, in.Addresses, func(string) {
		if n := int(done.Add(1)); r.Progress != nil {
			r.Progress(n, len(in.Addresses))
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range found.BMCs {
		if d := &found.BMCs[i]; d.Status == DiscoveryFound {
			found.Nodes = append(found.Nodes, enroll.FromBMC(d.BMC, d.Address, d.Login, in.Names, len(found.Nodes)))
		}
	}
	return nil
}

func (r *EnrollReader) complete(in *EnrollSource, found *EnrollFound) error {
	if in.Credentials != "" {
		data, err := ReadNodeFile(in.Credentials)
		if err != nil {
			return err
		}
		credentials, err := enroll.ReadCredentials(data)
		if err != nil {
			return &EnrollInputError{EnrollCredentials, fmt.Errorf("%s: %w", in.Credentials, err)}
		}
		found.Completed = credentials.Apply(found.Nodes)
	}
	for _, setting := range in.Settings {
		for i := range found.Nodes {
			if err := found.Nodes[i].Apply(setting); err != nil {
				return &EnrollInputError{EnrollSet, err}
			}
		}
	}
	if r.Mask == nil {
		return nil
	}
	for i := range found.Nodes {
		for _, secret := range found.Nodes[i].Secrets {
			r.Mask(secret)
		}
	}
	return nil
}

// Compare checks the nodes against the enabled drivers, which modifies them, and compares them with Ironic's.
func (r *EnrollReader) Compare(ctx context.Context, in *EnrollSource, nodes []enroll.Node) (enroll.Plan, error) {
	drivers, err := r.API.Drivers(ctx)
	if err != nil {
		return nil, err
	}
	enroll.Settle(nodes, drivers)
	have, err := ReadExisting(ctx, r.API)
	if err != nil {
		return nil, err
	}
	return enroll.Compare(nodes, have, enroll.Options{UpdateCredentials: in.UpdateCredentials, Complete: in.Ramdisk.boots(drivers)}), nil
}

// CommandLine returns the words of the ironworks enroll command that corresponds to the input, with secrets masked.
func (in *EnrollInput) CommandLine(goal Goal, noInspect bool) []string {
	words := []string{"enroll"}
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, flag, v)
			}
		}
	}
	add("-f", in.Files...)
	add("--format", string(in.Format))
	add("--column", in.Columns...)
	add("--driver", in.Driver)
	add("--bmc", in.BMCs...)
	add("--names", string(in.Names))
	for _, arg := range in.Set {
		if key, _, has := strings.Cut(arg, "="); has && models.MaskSettings(key+"=x") != key+"=x" {
			arg = key + "=" + models.Mask
		}
		add("--set", arg)
	}
	add("--credentials", in.Credentials)
	for _, word := range in.Ramdisk.commandFlags() {
		add(word[0], word[1])
	}
	if in.UpdateCredentials {
		words = append(words, "--update-credentials")
	}
	if goal != GoalEnroll {
		add("--to", string(goal))
	}
	if noInspect {
		words = append(words, "--no-inspect")
	}
	return slices.Clip(words)
}
