package ignition

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	ignerrors "github.com/coreos/ignition/v2/config/shared/errors"
	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
	"github.com/coreos/vcontext/report"
)

// stableSpecs lists the spec versions that released versions of Ignition can read, in ascending order. Ignition
// releases from 2021 can read versions up to 3.2.0.
var stableSpecs = []string{"3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0", "3.6.0"}

// finishRamdisk merges the user's configuration into the generated one and validates the result with Ignition. If the
// generated configuration has no spec version, finishRamdisk selects the lowest possible one.
func finishRamdisk(config ramdiskJSON, extra []byte, in *inputs, secrets []string) (Document, error) {
	version := config.Ignition.Version
	config.Ignition.Version = cmp.Or(version, stableSpecs[0])
	raw, err := encodeJSON(config)
	if err != nil {
		return Document{}, fmt.Errorf("writing the configuration: %w", err)
	}
	if len(extra) > 0 {
		if raw, err = mergeExtra(raw, extra, in); err != nil {
			return Document{}, err
		}
	}
	if version == "" {
		raw, version, err = lowestSpec(raw)
	} else {
		_, err = checkSpec(raw)
	}
	if err != nil {
		return Document{}, &InputError{Field: FieldOutput, Why: "was rejected by Ignition", Cause: err}
	}
	return Document{JSON: raw, Version: version, Notes: in.notes, SecretPaths: secrets}, nil
}

// mergeExtra merges the user's configuration by Ignition's rules, in the newest stable spec version.
func mergeExtra(ours, extra []byte, in *inputs) ([]byte, error) {
	refused := func(cause error, hint, why string) error {
		return &InputError{Field: FieldExtra, Why: why, Hint: hint, Cause: cause}
	}
	child, rep, err := v3_6.ParseCompatibleVersion(extra)
	switch {
	case errors.Is(err, ignerrors.ErrUnknownVersion):
		return nil, refused(err, "use spec 3.0.0 to 3.6.0", "has an unsupported version")
	case err != nil && len(rep.Entries) > 0:
		return nil, refused(reportError(rep), "", "was rejected by Ignition")
	case err != nil:
		return nil, refused(err, "use Ignition JSON, spec 3", "is not a valid Ignition configuration")
	}
	if unused := unusedKeys(rep); unused != nil {
		return nil, refused(unused, "Ignition would ignore the key", "has a key that its spec version does not define")
	}
	for _, entry := range rep.Entries {
		in.note(FieldExtra, "%s", entry.String())
	}
	parent, rep, err := v3_6.ParseCompatibleVersion(ours)
	if err != nil {
		return nil, &InputError{Field: FieldOutput, Why: "was rejected by Ignition", Cause: cmp.Or(reportError(rep), err)}
	}
	noteOverrides(parent, child, in)
	merged := v3_6.Merge(parent, child)
	merged.Ignition.Version = types.MaxVersion.String()
	return encodeJSON(merged)
}

func noteOverrides(parent, child types.Config, in *inputs) {
	var paths []string
	for _, file := range child.Storage.Files {
		paths = append(paths, file.Path)
	}
	for _, dir := range child.Storage.Directories {
		paths = append(paths, dir.Path)
	}
	for _, link := range child.Storage.Links {
		paths = append(paths, link.Path)
	}
	for _, file := range parent.Storage.Files {
		if slices.Contains(paths, file.Path) {
			in.note(FieldExtra, "its %s overrides the generated one", file.Path)
		}
	}
	for _, unit := range parent.Systemd.Units {
		if slices.ContainsFunc(child.Systemd.Units, func(u types.Unit) bool { return u.Name == unit.Name }) {
			in.note(FieldExtra, "its %s overrides the generated one", unit.Name)
		}
	}
	if child.Ignition.Config.Replace.Source != nil {
		in.note(FieldExtra, "it has config.replace, which discards the generated configuration")
	}
}

// lowestSpec returns the configuration in the lowest spec version that preserves its meaning. That version accepts
// the configuration, defines all its keys, and causes no warnings that the newest version does not also cause.
func lowestSpec(raw []byte) ([]byte, string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree map[string]any
	if err := dec.Decode(&tree); err != nil {
		return nil, "", err
	}
	dropEmpty(tree)
	ignition, ok := tree["ignition"].(map[string]any)
	if !ok {
		return nil, "", errors.New("ignition.version is missing")
	}
	if rep, err := specTry(tree, ignition, stableSpecs[0]); err == nil && len(rep.Entries) == 0 {
		out, err := encodeJSON(tree)
		return out, stableSpecs[0], err
	}
	known := map[string]bool{}
	newest, err := specTry(tree, ignition, stableSpecs[len(stableSpecs)-1])
	if err != nil {
		return nil, "", err
	}
	for _, entry := range newest.Entries {
		known[entry.Message] = true
	}
	for _, version := range stableSpecs {
		rep, err := specTry(tree, ignition, version)
		if err != nil || slices.ContainsFunc(rep.Entries, func(e report.Entry) bool { return !known[e.Message] }) {
			continue
		}
		out, err := encodeJSON(tree)
		return out, version, err
	}
	return nil, "", errors.New("no spec version supports it")
}

func specTry(tree, ignition map[string]any, version string) (report.Report, error) {
	ignition["version"] = version
	raw, err := encodeJSON(tree)
	if err != nil {
		return report.Report{}, err
	}
	return checkSpec(raw)
}

func checkSpec(raw []byte) (report.Report, error) {
	_, rep, err := v3_6.ParseCompatibleVersion(raw)
	if err != nil {
		return rep, cmp.Or(reportError(rep), err)
	}
	return rep, unusedKeys(rep)
}

// dropEmpty removes empty objects, empty lists and nulls, which result from encoding Ignition's types. They have no
// meaning, but some older spec versions reject them. dropEmpty reports whether value itself is empty.
func dropEmpty(value any) (empty bool) {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for key, child := range v {
			if dropEmpty(child) {
				delete(v, key)
			}
		}
		return len(v) == 0
	case []any:
		for _, child := range v {
			dropEmpty(child)
		}
		return len(v) == 0
	}
	return false
}

// reportError joins the errors in a report. Their messages contain paths within the configuration, but no content.
func reportError(rep report.Report) error {
	return joinEntries(rep, func(entry report.Entry) bool { return entry.Kind == report.Error })
}

// unusedKeys returns Ignition's warnings about unknown keys as an error. It returns nil if there are none.
func unusedKeys(rep report.Report) error {
	return joinEntries(rep, func(entry report.Entry) bool { return strings.HasPrefix(entry.Message, "unused key ") })
}

func joinEntries(rep report.Report, wanted func(report.Entry) bool) error {
	var all []error
	for _, entry := range rep.Entries {
		if wanted(entry) {
			all = append(all, errors.New(entry.String()))
		}
	}
	return errors.Join(all...)
}
