package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/printable"
)

// Ramdisk is the boot image of a node for deployment, cleaning and inspection. It is either a prebuilt ISO, or a
// kernel with its initramfs. The values are hrefs as accepted by Ironic: http, https, file, glance and oci URLs, or
// the UUID of an image in Glance.
type Ramdisk struct {
	// ISO is the value of deploy_iso.
	ISO string
	// Kernel and Initramfs are the values of deploy_kernel and deploy_ramdisk. They must be given together.
	Kernel    string
	Initramfs string
	// KernelParams is the value of kernel_append_params. It cannot be used with a prebuilt ISO, whose parameters
	// Ironic cannot change. If it is empty, the node's parameters stay unchanged.
	KernelParams string
	// WithDefaults inserts %default% before KernelParams. Ironic replaces this word with its configured parameters.
	// If WithDefaults is unset, KernelParams replaces the configured parameters.
	WithDefaults bool
	// NoKernelParams removes the node's own parameters, so that Ironic's configured parameters apply.
	NoKernelParams bool
	// InInstance writes the parameters to instance_info instead of driver_info. Ironic clears instance_info when the
	// node is undeployed.
	InInstance bool
}

// Served returns a function that returns the ramdisk served for a node. A target without a node is for all nodes.
func Served(targets []prepare.Target) func(*models.Node) (Ramdisk, error) {
	return func(n *models.Node) (Ramdisk, error) {
		for _, t := range targets {
			if t.Node.UUID == n.UUID || t.Node.UUID == "" {
				return ServedRamdisk(t), nil
			}
		}
		return Ramdisk{}, errors.New("no image is served for the node")
	}
}

// ServedRamdisk returns the ramdisk that is served for the target.
func ServedRamdisk(t prepare.Target) Ramdisk {
	return Ramdisk{ISO: t.ISO, Kernel: t.Kernel, Initramfs: t.Initrd, KernelParams: t.KernelParams}
}

// defaultParams is a placeholder that Ironic replaces with its configured parameters (get_kernel_append_params in
// ironic/drivers/utils.py).
const defaultParams = "%default%"

// pairFields returns the field names in [models.DeployPairFields] as one list.
func pairFields() []string {
	var fields []string
	for _, pair := range models.DeployPairFields() {
		fields = append(fields, pair[0], pair[1])
	}
	return fields
}

// params returns the value for kernel_append_params, or "" to leave the field unchanged.
func (r Ramdisk) params() string {
	text := strings.TrimSpace(r.KernelParams)
	if r.WithDefaults && text != "" && !strings.Contains(text, defaultParams) {
		return defaultParams + " " + text
	}
	return text
}

// hrefSchemes returns the schemes of the URLs from which the newest Ironic can fetch an image. The nfs, cifs and smb
// schemes are only for BMCs (protocol_mapping in ironic/common/image_service.py).
func hrefSchemes() []string { return []string{"http", "https", "file", "glance", "oci"} }

var uuidLike = regexp.MustCompile(`^[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$`)

// check looks for a problem that does not depend on the node. It returns a description of the problem and a hint at
// the solution. Both are empty if there is no problem.
func (r Ramdisk) check() (why, hint string) {
	pair := r.Kernel != "" || r.Initramfs != ""
	params := r.params()
	switch {
	case r.ISO != "" && pair:
		return "an ISO and a kernel cannot be combined", "pass only one"
	case r.ISO == "" && !pair:
		return "no ISO and no kernel to boot", "pass --iso URL, or --kernel URL and --initrd URL"
	case pair && (r.Kernel == "" || r.Initramfs == ""):
		return "a kernel and an initramfs must be given together", "pass both --kernel URL and --initrd URL"
	case r.ISO != "" && params != "":
		return "Ironic does not pass kernel parameters to a prebuilt ISO", "add them to the ISO instead"
	case r.NoKernelParams && params != "":
		return "cannot both set and remove kernel parameters", "pass only one"
	}
	for _, field := range [][2]string{{"deploy_iso", r.ISO}, {"deploy_kernel", r.Kernel}, {"deploy_ramdisk", r.Initramfs}} {
		if why := badHref(field[1]); why != "" {
			return field[0] + ": " + why, ""
		}
	}
	if params == "" {
		return "", ""
	}
	if strings.ContainsFunc(params, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return "kernel_append_params: contains a line break or another control character", ""
	}
	if err := models.CheckKernelAppendParams(params, models.ConfiguredKernelParameters); err != nil {
		return "kernel_append_params: " + printable.Line(err.Error()), "Ironic 37 and later reject parameters with invalid syntax"
	}
	return "", ""
}

// badHref returns the reason why Ironic cannot fetch an image from href. It returns "" if Ironic can fetch the image,
// or if href is empty.
func badHref(href string) string {
	if href == "" || uuidLike.MatchString(href) {
		return ""
	}
	if strings.ContainsFunc(href, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return "the URL contains a space or a control character"
	}
	u, err := url.Parse(href)
	switch {
	case err != nil:
		var bad *url.Error
		if errors.As(err, &bad) {
			err = bad.Err // the address may contain secrets
		}
		return "invalid URL: " + printable.Line(err.Error())
	case u.Scheme == "":
		return "neither a URL nor the UUID of an image"
	case !slices.Contains(hrefSchemes(), strings.ToLower(u.Scheme)):
		return fmt.Sprintf("Ironic does not support the scheme %q", printable.Line(u.Scheme))
	case u.Scheme == "file" && (u.Host != "" || !strings.HasPrefix(u.Path, "/")):
		return "use an absolute path: file:///var/lib/ironic/…"
	case u.Scheme != "file" && u.Host == "" && u.Opaque == "":
		return "the URL has no host"
	}
	return ""
}

// patch returns the operations that set the ramdisk on the node: they set the fields that differ and remove
// conflicting fields. The fields are set before others are removed, so that the node always has a boot image.
func (r Ramdisk) patch(n *models.Node) ([]models.PatchOp, error) {
	info := map[string]string{"deploy_iso": r.ISO, "deploy_kernel": r.Kernel, "deploy_ramdisk": r.Initramfs}
	var set, remove []models.Setting
	for _, field := range slices.Concat(models.DeployISOFields(), pairFields()) {
		remove = appendRemoval(remove, n.DriverInfo, "driver_info", field, info[field] == "")
		set = appendSetting(set, n.DriverInfo, "driver_info", field, info[field])
	}
	const field = "kernel_append_params"
	params := r.params()
	switch {
	case params != "" && r.InInstance:
		set = appendSetting(set, n.InstanceInfo, "instance_info", field, params)
	case params != "":
		set = appendSetting(set, n.DriverInfo, "driver_info", field, params)
		// Remove instance_info's value even if it is empty, because it takes precedence.
		remove = appendRemoval(remove, n.InstanceInfo, "instance_info", field, n.InstanceInfo[field] != nil)
	case r.NoKernelParams:
		remove = appendRemoval(remove, n.DriverInfo, "driver_info", field, n.DriverInfo[field] != nil)
		remove = appendRemoval(remove, n.InstanceInfo, "instance_info", field, n.InstanceInfo[field] != nil)
	}
	if n.DriverInfo == nil {
		// If driver_info is missing, it is unknown which fields must be removed. This first setting then causes an
		// error that says so.
		set = slices.Insert(set, 0, models.Setting{Path: []string{"driver_info", "deploy_iso"}, Op: models.SettingRemove})
	}
	return models.Patch(n, slices.Concat(set, remove))
}

func appendSetting(list []models.Setting, now map[string]any, object, field, value string) []models.Setting {
	if value == "" || now[field] == value {
		return list
	}
	text, err := json.Marshal(value) // as JSON, so that a string that looks like a number remains a string
	if err != nil {
		return list
	}
	return append(list, models.Setting{Path: []string{object, field}, Op: models.SettingSet, Text: string(text)})
}

// appendRemoval adds the removal of an unwanted field to the list. It keeps null and empty fields, because Ironic
// ignores them. The exception is kernel_append_params, which is always removed.
func appendRemoval(list []models.Setting, now map[string]any, object, field string, unwanted bool) []models.Setting {
	value, there := now[field]
	if !unwanted || !there || (value == nil || value == "") && field != "kernel_append_params" {
		return list
	}
	return append(list, models.Setting{Path: []string{object, field}, Op: models.SettingRemove})
}
