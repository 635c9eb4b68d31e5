package provision

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"ironworks/cloudinit"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/printable"
)

// Deployment holds the plan's fields for one node, together with the content of the files that they name.
type Deployment struct {
	Fields plan.Fields
	// UserData is the user data as the operator wrote it. If it is not nil, it replaces the user data in Fields.
	UserData []byte
	// FilesDir is the folder of the local files that user data in Butane refers to. It may be empty.
	FilesDir string
	// VendorData is copied into the configdrive unchanged.
	VendorData any
	// Text is a prebuilt configdrive, either as a URL or in base64.
	Text string

	report      *userdata.Report
	ownInstance string // the instance_uuid of an earlier attempt
	verb        models.Verb
}

// WithConfigDrive returns the deployment with its configdrive replaced. drive is the new configdrive in a form that
// Ironic expects: an object, or the text of a prebuilt configdrive. If drive is nil, nothing is replaced.
func (d Deployment) WithConfigDrive(drive any) (Deployment, error) {
	text, isText := drive.(string)
	object, isObject := drive.(map[string]any)
	switch {
	case drive == nil:
		return d, nil
	case isText:
		d.Text, d.UserData, d.Fields.ConfigDrive = text, nil, plan.ConfigDrive{}
		return d, nil
	case !isObject:
		return d, fmt.Errorf("configdrive must be an object, a URL or base64")
	}
	config := plan.ConfigDrive{Reader: d.Fields.ConfigDrive.Reader}
	for key, value := range object {
		var isMap bool
		switch key {
		case "meta_data":
			config.MetaData, isMap = value.(map[string]any)
		case "network_data":
			config.NetworkData, isMap = value.(map[string]any)
		case "vendor_data":
			d.VendorData, isMap = value, true
		case "user_data":
			written, isText := value.(string)
			if !isText && value != nil {
				raw, err := json.Marshal(value)
				if err != nil {
					return d, fmt.Errorf("configdrive: user_data: %w", err)
				}
				written = string(raw)
			}
			config.UserData, isMap = written, true
		default:
			return d, fmt.Errorf("configdrive: unknown key %q; available: meta_data, network_data, user_data, vendor_data", printable.Line(key))
		}
		if !isMap && value != nil {
			return d, fmt.Errorf("configdrive: %s is not an object", key)
		}
	}
	d.Fields.ConfigDrive, d.UserData = config, nil
	return d, nil
}

// WithUserDataFile reads the user data from the file at path. The local files that the user data refers to are expected
// in the same folder.
func (d Deployment) WithUserDataFile(path string) (Deployment, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the user's own file
	if err != nil {
		return d, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return d, fmt.Errorf("%s is empty", printable.Line(path))
	}
	d.UserData, d.FilesDir = data, filepath.Dir(path)
	return d, nil
}

// withReport returns the deployment with the report on its user data.
func (d Deployment) withReport() Deployment {
	if d.UserData == nil && d.Fields.ConfigDrive.UserData != "" {
		d.UserData = []byte(d.Fields.ConfigDrive.UserData)
	}
	if d.UserData != nil && d.report == nil {
		report := userdata.Check(d.UserData, userdata.FilesDir(d.FilesDir))
		d.report = &report
	}
	return d
}

// Report returns the report on the user data, or nil if there is no user data.
func (d Deployment) Report() *userdata.Report { return d.withReport().report }

// language returns the program for which the user data is written, or "" if that is unknown.
func (d Deployment) language() plan.UserDataReader {
	layers := d.report.Summary.Layers
	switch layers[len(layers)-1] {
	case userdata.KindIgnition, userdata.KindButane, userdata.KindMachineConfig, userdata.KindIgnition1, userdata.KindIgnition2:
		return plan.ReaderIgnition
	case userdata.KindCloudConfig, userdata.KindCloudInit, userdata.KindShellScript, userdata.KindMIME:
		return plan.ReaderCloudInit
	case userdata.KindText, userdata.KindEmpty, userdata.KindGzip, userdata.KindBase64, userdata.KindJSONString, userdata.KindConfigDrive,
		userdata.KindJSON, userdata.KindYAML, userdata.KindBinary:
	}
	return ""
}

// userDataToSend returns the user data in the form that its reader expects. The checks have already refused
// unreadable data. userDataToSend refuses such data again, as the last guard against sending untranslated Butane.
func (d Deployment) userDataToSend(f *plan.Facts) (any, error) {
	reader, _, _ := f.Reader()
	switch {
	case f.Kind == plan.KindInstallCoreOS:
		return userdata.ForInstall(*d.report)
	case reader == plan.ReaderIgnition && !d.report.OK():
		return nil, &userdata.RefusedError{Report: *d.report}
	case reader == plan.ReaderIgnition:
		return string(d.report.Ignition()), nil
	case d.report.Kind == userdata.KindButane || d.report.Kind == userdata.KindMachineConfig:
		return nil, fmt.Errorf("%s user data is for Ignition (after translation), not for %q", d.report.Kind, string(reader))
	}
	return string(d.UserData), nil
}

// bootable returns the user data for the record, as a machine reads it, with all local files.
func (d Deployment) bootable() []byte {
	switch d = d.withReport(); {
	case d.report == nil || !d.report.OK():
	case d.report.Kind == userdata.KindButane, d.report.Kind == userdata.KindMachineConfig:
		return d.report.Ignition()
	}
	return d.UserData
}

// userDataFacts returns the report on the user data for the checks, or nil if there is no user data.
func (d Deployment) userDataFacts() *plan.UserDataFacts {
	d = d.withReport()
	if d.report == nil {
		return nil
	}
	facts := &plan.UserDataFacts{
		Kind: string(d.report.Kind), Language: d.language(), OK: d.report.OK(), Sent: d.report.Summary.Sizes.Sent,
	}
	if facts.Language == plan.ReaderCloudInit {
		facts.OK, facts.Sent = true, len(d.UserData)
		for _, p := range cloudinit.Check(d.UserData) {
			facts.OK = facts.OK && !p.Error
			facts.Findings = append(facts.Findings, plan.UserDataFinding{Error: p.Error, ID: "cloud-init", Text: p.String()})
		}
		return facts
	}
	for _, p := range d.report.Problems {
		if p.Severity == userdata.SeverityInfo {
			continue
		}
		where := p.Path
		if p.Line > 0 {
			where = fmt.Sprintf("%d:%d", p.Line, p.Column)
		}
		facts.Findings = append(facts.Findings, plan.UserDataFinding{
			Error: p.Severity == userdata.SeverityError, ID: string(p.ID), Text: where + ": " + p.Message,
		})
	}
	return facts
}

func (d Deployment) configDrive(f *plan.Facts) (any, error) {
	if d.Text != "" {
		return d.Text, nil
	}
	d = d.withReport()
	drive := map[string]any{}
	if len(d.Fields.ConfigDrive.MetaData) > 0 {
		drive["meta_data"] = d.Fields.ConfigDrive.MetaData
	}
	if len(d.Fields.ConfigDrive.NetworkData) > 0 {
		drive["network_data"] = d.Fields.ConfigDrive.NetworkData
	}
	if d.VendorData != nil {
		drive["vendor_data"] = d.VendorData
	}
	if d.report != nil {
		data, err := d.userDataToSend(f)
		if err != nil {
			return nil, err
		}
		drive["user_data"] = data
	}
	if len(drive) == 0 {
		return nil, nil //nolint:nilnil // no configdrive is sent
	}
	return drive, nil
}

func (d Deployment) settings(f *plan.Facts) []models.Setting {
	n, p := f.Node, d.Fields
	var list []models.Setting
	if value := f.DeployInterface(); value != "" && value != n.DeployInterface {
		list = append(list, models.Setting{Path: []string{"deploy_interface"}, Op: models.SettingSet, Text: value})
	}
	list = append(list, d.ramdiskSettings(f)...)
	instance := func(field, value string) { list = appendSetting(list, n.InstanceInfo, "instance_info", field, value) }
	instance("image_source", p.Image.Source)
	instance("image_disk_format", p.Image.Format)
	if hash, err := p.Image.Hash(); err == nil && p.Image.Checksum != "" {
		if hash == "md5" || hash == "" {
			instance("image_checksum", p.Image.Checksum)
		} else {
			instance("image_os_hash_algo", hash)
			instance("image_os_hash_value", p.Image.Checksum)
		}
	}
	if setting, wanted := d.traitSetting(f); wanted {
		list = append(list, setting)
	}
	return append(list, d.hintSettings(n)...)
}

// traitSetting returns the setting that writes the instance's traits. wanted is false if there is nothing to write:
// the plan lists no traits, or the node or its allocation already has them.
func (d Deployment) traitSetting(f *plan.Facts) (s models.Setting, wanted bool) {
	there := f.Node.InstanceInfo["traits"]
	if f.Allocates() {
		there = append([]string{}, d.Fields.Allocate.Traits...)
	}
	text, err := json.Marshal(d.Fields.Traits)
	if err != nil || d.Fields.Traits == nil {
		return s, false
	}
	if now, err := json.Marshal(there); err == nil && bytes.Equal(now, text) {
		return s, false
	}
	return models.Setting{Path: []string{"instance_info", "traits"}, Op: models.SettingSet, Text: string(text)}, true
}

// ramdiskSettings sets the boot files: in driver_info for Ironic's own operations, or in instance_info for an
// instance that runs from memory.
func (d Deployment) ramdiskSettings(f *plan.Facts) (list []models.Setting) {
	p, n := d.Fields.Ramdisk, f.Node
	object, now := "driver_info", n.DriverInfo
	iso, kernel, initrd := "deploy_iso", "deploy_kernel", "deploy_ramdisk"
	isos, pairs := models.DeployISOFields(), pairFields()
	if f.Kind == plan.KindRamdisk {
		object, now = "instance_info", n.InstanceInfo
		iso, kernel, initrd = "boot_iso", "kernel", "ramdisk"
		isos, pairs = []string{iso}, []string{kernel, initrd}
	}
	for _, field := range [][2]string{{iso, p.ISO}, {kernel, p.Kernel}, {initrd, p.Initrd}, {"kernel_append_params", p.Params}} {
		list = appendSetting(list, now, object, field[0], field[1])
	}
	var gone []string
	switch {
	case p.ISO != "":
		gone = pairs
	case p.Kernel != "":
		gone = isos
	}
	for _, field := range gone {
		if _, there := now[field]; there {
			list = append(list, models.Setting{Path: []string{object, field}, Op: models.SettingRemove})
		}
	}
	return list
}

// hintSettings returns the settings that write the root device hints. If the hints are written to the node's
// properties, the settings also remove the instance's hints, which would take precedence.
func (d Deployment) hintSettings(n *models.Node) []models.Setting {
	p := d.Fields.RootDevice
	if !p.Hints.IsSet() {
		return nil
	}
	to, object := hints.OfInstance, n.InstanceInfo
	var list []models.Setting
	if p.To == hints.OfProperties {
		to, object = p.To, n.Properties
		if _, there := n.InstanceInfo["root_device"]; there {
			list = append(list, models.Setting{Path: []string{string(hints.OfInstance), "root_device"}, Op: models.SettingRemove})
		}
	}
	text, err := p.Hints.MarshalJSON()
	if err != nil || SameJSON(p.Hints, object["root_device"]) {
		return list
	}
	return append(list, models.Setting{Path: []string{string(to), "root_device"}, Op: models.SettingSet, Text: string(text)})
}

// SameJSON reports whether a and b are equal when encoded as JSON.
func SameJSON(a, b any) bool {
	var plain [2]any
	for i, v := range []any{a, b} {
		text, err := json.Marshal(v)
		if err != nil || json.Unmarshal(text, &plain[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(plain[0], plain[1])
}

// revertOps returns the operations that revert ops on node n, except for masked values, which cannot be restored.
func revertOps(n *models.Node, ops []models.PatchOp) []models.PatchOp {
	var back []models.PatchOp
	for _, op := range slices.Backward(ops) {
		before, there := valueAt(n, op.Path)
		undo := models.PatchOp{Op: "add", Path: op.Path, Value: before}
		switch {
		case there && undo.Check() != nil:
			continue
		case !there && op.Op == "remove":
			continue
		case !there:
			undo = models.PatchOp{Op: "remove", Path: op.Path}
		}
		back = append(back, undo)
	}
	return back
}

// valueAt returns the node's value at the path of a patch operation, and whether it exists and is not null.
func valueAt(n *models.Node, path string) (any, bool) {
	var object map[string]any
	if json.Unmarshal(n.Raw, &object) != nil {
		return nil, false
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, part := range parts {
		value, there := object[part]
		if i == len(parts)-1 {
			return value, there && value != nil
		}
		object, _ = value.(map[string]any)
	}
	return nil, false
}
