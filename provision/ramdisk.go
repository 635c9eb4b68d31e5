package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"ironworks/models"
)

// Ramdisk is what a node boots when Ironic deploys, cleans or inspects it: an ISO that
// is ready, or a kernel with its initramfs. The values are what Ironic calls hrefs:
// http, https, file, glance and oci URLs, or the UUID of an image in Glance.
type Ramdisk struct {
	// ISO is deploy_iso.
	ISO string
	// Kernel and Initramfs are deploy_kernel and deploy_ramdisk; they go together, for
	// one alone boots nothing.
	Kernel    string
	Initramfs string
	// KernelParams is kernel_append_params: not for an ISO that is ready, whose
	// parameters Ironic cannot change. Empty leaves the node's as they are.
	KernelParams string
	// WithDefaults puts %default% in front of them, for which Ironic inserts the ones
	// it is configured with; else they replace those.
	WithDefaults bool
	// NoKernelParams takes the node's own away, so that Ironic's configured ones apply.
	NoKernelParams bool
	// InInstance writes the parameters into instance_info, which is emptied when the
	// node is undeployed, instead of driver_info.
	InInstance bool
}

// defaultParams is what Ironic replaces by its configured parameters
// (get_kernel_append_params in ironic/drivers/utils.py).
const defaultParams = "%default%"

// pairFields are those of [models.DeployPairFields], one after the other.
func pairFields() []string {
	var fields []string
	for _, pair := range models.DeployPairFields() {
		fields = append(fields, pair[0], pair[1])
	}
	return fields
}

// params is the value of kernel_append_params, "" to leave what is there.
func (r Ramdisk) params() string {
	text := strings.TrimSpace(r.KernelParams)
	if r.WithDefaults && text != "" && !strings.Contains(text, defaultParams) {
		return defaultParams + " " + text
	}
	return text
}

// hrefSchemes are those that the newest Ironic can fetch an image by; nfs, cifs and smb
// are for BMCs alone (protocol_mapping in ironic/common/image_service.py).
func hrefSchemes() []string { return []string{"http", "https", "file", "glance", "oci"} }

var uuidLike = regexp.MustCompile(`^[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$`)

// check says what in it cannot be sent, whatever the node.
func (r Ramdisk) check(checkParams func(string) error) (why, hint string) {
	pair := r.Kernel != "" || r.Initramfs != ""
	params := r.params()
	switch {
	case r.ISO != "" && pair:
		return "an ISO and a kernel exclude each other", "give one of them"
	case r.ISO == "" && !pair:
		return "there is neither an ISO nor a kernel to boot", "--iso URL, or --kernel URL with --initrd URL"
	case pair && (r.Kernel == "" || r.Initramfs == ""):
		return "a kernel and its initramfs go together: one alone boots nothing", "--kernel URL with --initrd URL"
	case r.ISO != "" && params != "":
		return "Ironic passes no kernel parameters to an ISO that is ready", "ironworks ignition kargs append ISO …"
	case r.NoKernelParams && params != "":
		return "kernel parameters are to be set and to be taken away", "give one of them"
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
		return "kernel_append_params: it has a line end or another control character", ""
	}
	if checkParams != nil {
		if err := checkParams(params); err != nil {
			return "kernel_append_params: " + models.Printable(err.Error()), "Ironic 37 and later refuse what their grammar does not know"
		}
	}
	return "", ""
}

// badHref says why Ironic could not fetch from there; nothing is not bad.
func badHref(href string) string {
	if href == "" || uuidLike.MatchString(href) {
		return ""
	}
	if strings.ContainsFunc(href, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return "a blank or a control character in the address"
	}
	u, err := url.Parse(href)
	switch {
	case err != nil:
		var bad *url.Error
		if errors.As(err, &bad) {
			err = bad.Err // the address itself may be a secret
		}
		return "no address: " + models.Printable(err.Error())
	case u.Scheme == "":
		return "neither a URL nor the UUID of an image"
	case !slices.Contains(hrefSchemes(), strings.ToLower(u.Scheme)):
		return fmt.Sprintf("Ironic fetches nothing by %q", models.Printable(u.Scheme))
	case u.Scheme == "file" && (u.Host != "" || !strings.HasPrefix(u.Path, "/")):
		return "a file has an absolute path: file:///var/lib/ironic/…"
	case u.Scheme != "file" && u.Host == "" && u.Opaque == "":
		return "the URL names no host"
	}
	return ""
}

// patch is what makes the node as it shall be: the fields that differ, and the removal
// of those that say something else. Nothing is a node that is right already. Additions
// come first: until the removals are applied Ironic follows what was there before, or
// what is new, but never nothing.
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
		// Even an empty text there would win.
		remove = appendRemoval(remove, n.InstanceInfo, "instance_info", field, n.InstanceInfo[field] != nil)
	case r.NoKernelParams:
		remove = appendRemoval(remove, n.DriverInfo, "driver_info", field, n.DriverInfo[field] != nil)
		remove = appendRemoval(remove, n.InstanceInfo, "instance_info", field, n.InstanceInfo[field] != nil)
	}
	if n.DriverInfo == nil {
		// It is not known what has to go: as the first one, this fails and says why.
		set = slices.Insert(set, 0, models.Setting{Path: []string{"driver_info", "deploy_iso"}, Op: models.SettingRemove})
	}
	return models.Patch(n, slices.Concat(set, remove))
}

func appendSetting(list []models.Setting, now map[string]any, object, field, value string) []models.Setting {
	if value == "" || now[field] == value {
		return list
	}
	text, err := json.Marshal(value) // a text that reads as a number stays a text
	if err != nil {
		return list
	}
	return append(list, models.Setting{Path: []string{object, field}, Op: models.SettingSet, Text: string(text)})
}

// appendRemoval lets null and an empty text be, which Ironic takes for nothing, unless
// the caller knows better.
func appendRemoval(list []models.Setting, now map[string]any, object, field string, unwanted bool) []models.Setting {
	value, there := now[field]
	if !unwanted || !there || (value == nil || value == "") && field != "kernel_append_params" {
		return list
	}
	return append(list, models.Setting{Path: []string{object, field}, Op: models.SettingRemove})
}
