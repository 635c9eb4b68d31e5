package metal3

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/document"
	"ironworks/enroll"
	"ironworks/models"
)

// hostReader converts a BareMetalHost to a node.
type hostReader struct {
	*reader
	object
	node enroll.Node
	spec document.Value
}

// note adds a note to the node, for example about a field that is not carried over.
func (h *hostReader) note(line int, format string, args ...any) {
	h.node.Notes = append(h.node.Notes, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

func (h *hostReader) problem(line int, format string, args ...any) {
	h.node.Problems = append(h.node.Problems, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

// text returns the string value of a field in the spec. If the value is not a string, it adds a problem to the node.
func (h *hostReader) text(m document.Member) string {
	s, ok := m.Value.Scalar()
	if !ok && m.Value.Kind != document.Null {
		h.problem(m.Line, "spec.%s: must be a string, not %s", m.Key, m.Value.Kind)
	}
	return s
}

// flag returns the boolean value of a field in the spec. Other values are problems: if a quoted "true" were read as
// false, a host that must be kept could be cleaned.
func (h *hostReader) flag(m document.Member) bool {
	if m.Value.Kind != document.Bool && m.Value.Kind != document.Null {
		h.problem(m.Line, "spec.%s: must be true or false, not %s", m.Key, m.Value.Kind)
	}
	return m.Value.True()
}

// NodeName returns the name that Metal3 assigns to a host's node.
func NodeName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "~" + name
}

// host converts a host to the node that Metal3 would register (pkg/provisioner/ironic/register.go and ironic.go).
func (r *reader) host(o object) {
	h := &hostReader{reader: r, object: o, spec: o.value.Get("spec")}
	h.node.Source = enroll.Source{File: r.file, Line: o.value.Line}
	h.node.Set(NodeName(o.namespace, o.name), "name")
	if o.namespace == "" {
		h.note(o.value.Line, "metadata.namespace: missing; Metal3 would name the node NAMESPACE~%s", o.name)
	}
	h.metadata()
	h.status()
	h.bmc()
	h.node.Set(true, "automated_clean")
	capabilities := "boot_mode:uefi"
	var later []document.Member
	for _, m := range h.spec.Members {
		switch m.Key {
		case "bmc", "inspectionMode":
		case "bootMode":
			modes := map[string]string{"UEFI": capabilities, "UEFISecureBoot": "boot_mode:uefi,secure_boot:true", "legacy": "boot_mode:bios", "": capabilities}
			mode, known := modes[h.text(m)]
			if capabilities = mode; !known {
				h.problem(m.Line, "spec.bootMode %q: use UEFI, UEFISecureBoot or legacy", h.text(m))
			}
		case "externallyProvisioned":
			externally := h.flag(m)
			h.node.Adopt = h.node.Adopt || externally
		default:
			if !h.simple(m) {
				later = append(later, m)
			}
		}
	}
	if capabilities != "" {
		h.node.Set(capabilities, "properties", "capabilities")
	}
	h.companions()
	h.unprepared()
	h.deployment(later)
	r.result.Nodes = append(r.result.Nodes, h.node)
}

// simple sets the node field that corresponds to m. It reports whether it handled m. The members that it does not
// handle belong to the deployment or are not carried over.
func (h *hostReader) simple(m document.Member) bool {
	switch m.Key {
	case "architecture":
		if arch := h.text(m); arch != "" {
			h.node.Set(arch, "properties", "cpu_arch")
		}
	case "description":
		if about := h.text(m); about != "" {
			h.node.Set(about, "description")
		}
	case "bootMACAddress":
		if mac := h.text(m); mac != "" {
			h.node.Ports = append(h.node.Ports, enroll.Port{"address": mac, "pxe_enabled": true})
		}
	case "disablePowerOff":
		if h.flag(m) {
			h.node.Set(true, "disable_power_off")
		}
	case "automatedCleaningMode":
		h.cleaning(m)
	case "rootDeviceHints":
		if hints := h.hints(m); len(hints) > 0 {
			h.node.Set(hints, "properties", "root_device")
		}
	case "raid":
		h.raid(m)
	case "online":
		if !h.flag(m) {
			h.note(m.Line, "spec.online false: not carried over; power off the node after the enrollment")
		}
	case "preprovisioningNetworkDataName":
		h.preprovisioning(m)
	default:
		return false
	}
	return true
}

// cleaning sets automated_clean. An unknown mode is a problem, because a typing error must not erase disks.
func (h *hostReader) cleaning(m document.Member) {
	mode, _ := m.Value.Scalar()
	if m.Value.Kind != document.Null && mode != "metadata" && mode != "disabled" {
		h.problem(m.Line, "spec.%s %q: use metadata or disabled", m.Key, mode)
		return
	}
	h.node.Set(mode != "disabled", "automated_clean")
}

// metadata adds notes about annotations, labels and other metadata, except for the cluster's bookkeeping.
func (h *hostReader) metadata() {
	meta := h.value.Get("metadata")
	for _, m := range meta.Get("annotations").Members {
		value, _ := m.Value.Scalar()
		switch {
		case m.Key == "baremetalhost.metal3.io/paused":
			h.note(m.Line, "paused in Metal3; ironworks ignores the pause")
		case m.Key == "baremetalhost.metal3.io/detached":
			h.note(m.Line, "detached: Metal3 has taken the node out of Ironic on purpose")
		case m.Key == "baremetalhost.metal3.io/status":
			h.statusAnnotation(m.Line, value)
		case m.Key == "kubectl.kubernetes.io/last-applied-configuration":
		case m.Key == "inspect.metal3.io" && value == "disabled":
			h.note(m.Line, "inspect.metal3.io disabled: do not inspect the node")
		default:
			h.note(m.Line, "annotation %s: not carried over", m.Key)
		}
	}
	for _, m := range meta.Members {
		switch m.Key {
		case "name", "namespace", "annotations", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields":
		default:
			h.note(m.Line, "metadata.%s: not carried over", m.Key)
		}
	}
}

// status makes Ironic adopt a host that Metal3 has provisioned, because cleaning would erase its instance.
func (h *hostReader) status() {
	status := h.value.Get("status")
	h.provisioned(status.Line, text(status, "provisioning", "state"))
	if id := text(status, "provisioning", "ID"); id != "" {
		h.note(status.Line, "status.provisioning.ID: %s is the node's UUID in Metal3's Ironic; it is not carried over", id)
	}
}

func (h *hostReader) statusAnnotation(line int, raw string) {
	var status struct {
		Provisioning struct {
			State string `json:"state"`
		} `json:"provisioning"`
	}
	if err := json.Unmarshal([]byte(raw), &status); err != nil {
		h.note(line, "annotation baremetalhost.metal3.io/status: not JSON")
		return
	}
	h.provisioned(line, status.Provisioning.State)
}

func (h *hostReader) provisioned(line int, state string) {
	switch state {
	case "provisioned", "externally provisioned":
		h.node.Adopt = true
		h.note(line, "status: %s, so the node is adopted, not cleaned", state)
	case "provisioning", "deprovisioning", "inspecting", "preparing", "servicing":
		h.note(line, "status: Metal3 is %s this host; wait until this is done", state)
	}
}

// bmc sets the driver, its interfaces and driver_info.
func (h *hostReader) bmc() {
	bmc := h.spec.Get("bmc")
	var address, credentials string
	line, skip := bmc.Line, false
	for _, m := range bmc.Members {
		switch m.Key {
		case "address":
			address, line = h.text(m), m.Line
		case "credentialsName":
			credentials = h.text(m)
		case "disableCertificateVerification":
			skip = h.flag(m)
		default:
			h.note(m.Line, "spec.bmc.%s: not carried over", m.Key)
		}
	}
	if address == "" {
		h.problem(line, "spec.bmc.address: missing; Metal3 does not manage this host")
		return
	}
	a, err := parseAddress(address, skip)
	if err == nil && (a.info["ipmi_address"] == "" || strings.HasSuffix(models.TextOf(a.info["redfish_address"]), "://")) {
		err = fmt.Errorf("no host")
	}
	if path := models.TextOf(a.info["redfish_system_id"]); err == nil && !utf8.ValidString(path) {
		err = fmt.Errorf("path %q is not UTF-8", path)
	}
	if err != nil {
		h.problem(line, "spec.bmc.address: %v", err)
		return
	}
	if strings.Contains(address, "@") {
		h.note(line, "spec.bmc.address: credentials in the address are not used")
	}
	inspect := a.interfaces["inspect"]
	a.interfaces["inspect"] = "agent"
	switch mode := text(h.spec, "inspectionMode"); mode {
	case "fast":
		a.interfaces["inspect"] = inspect
	case "disabled":
		h.note(line, "spec.inspectionMode disabled: do not inspect the node")
	case "", "agent":
	default:
		h.problem(line, "spec.inspectionMode %q: use agent, fast or disabled", mode)
	}
	h.node.Set(a.driver, "driver")
	h.node.Derived = append(h.node.Derived, "driver")
	for _, kind := range slices.Sorted(maps.Keys(a.interfaces)) {
		if name := a.interfaces[kind]; name != "" {
			h.node.Set(name, kind+"_interface")
			h.node.Derived = append(h.node.Derived, kind+"_interface")
		}
	}
	for field, value := range a.info {
		h.node.Set(value, "driver_info", field)
	}
	h.credentials(bmc.Line, a.prefix, credentials)
}

// credentials reads the user name and the password from the Secret. Like Metal3, it removes the blanks around them.
func (h *hostReader) credentials(line int, prefix, name string) {
	s, found := h.secrets[key(h.namespace, name)]
	if !found {
		h.node.SetSecret(prefix+"password", "")
		if name == "" {
			h.problem(line, "spec.bmc.credentialsName: missing")
			return
		}
		h.note(line, "spec.bmc.credentialsName: Secret %s is not in the file; pass --credentials", key(h.namespace, name))
		return
	}
	for _, field := range []string{"username", "password"} {
		value := strings.TrimSpace(s[field].Reveal())
		if value == "" {
			h.problem(line, "Secret %s: no %s", key(h.namespace, name), field)
		}
		if field == "username" {
			h.node.Set(value, "driver_info", prefix+field)
			continue
		}
		h.node.SetSecret(prefix+field, models.Secret(value))
	}
}

// preprovisioning sets network_data from the Secret that configures the ramdisk's network.
func (h *hostReader) preprovisioning(m document.Member) {
	name := h.text(m)
	if name == "" {
		return
	}
	data, err := h.structure(h.namespace, name, "networkData", "value")
	if err != nil {
		h.note(m.Line, "spec.%s: %v", m.Key, err)
		return
	}
	h.node.Set(data, "network_data")
}

// structure parses the YAML or JSON object under the first of the given keys that the Secret contains.
func (r *reader) structure(namespace, name string, keys ...string) (map[string]any, error) {
	s, found := r.secrets[key(namespace, name)]
	if !found {
		return nil, fmt.Errorf("secret %s is not in the file", key(namespace, name))
	}
	raw, has := s.first(keys...)
	if !has {
		return nil, fmt.Errorf("secret %s has none of the keys %s", key(namespace, name), strings.Join(keys, ", "))
	}
	docs, err := document.Parse([]byte(raw.Reveal()), "secret "+key(namespace, name))
	if err != nil {
		return nil, fmt.Errorf("secret %s: %s is neither YAML nor JSON", key(namespace, name), keys[0])
	}
	if len(docs) != 1 || docs[0].Kind != document.Object {
		return nil, fmt.Errorf("secret %s: %s is not an object", key(namespace, name), keys[0])
	}
	object, _ := docs[0].Any().(map[string]any)
	return object, nil
}

// companions reads the firmware settings and the ramdisk. Firmware updates and data images are only noted.
func (h *hostReader) companions() {
	if v, has := h.companion("HostFirmwareSettings", h.object); has {
		h.firmwareSettings(v)
	}
	if v, has := h.companion("HostFirmwareComponents", h.object); has {
		h.firmwareComponents(v)
	}
	if v, has := h.companion("DataImage", h.object); has {
		h.note(v.Line, "DataImage %s: not attached, because a deployment uses the same drive; insert it through the BMC after the deployment", models.MaskURL(text(v, "spec", "url")))
	}
	if v, has := h.companion("PreprovisioningImage", h.object); has {
		h.ramdisk(v)
	}
}

// ramdisk sets the ramdisk that was built for the host (setDeployImage in pkg/provisioner/ironic/ironic.go).
func (h *hostReader) ramdisk(v document.Value) {
	url, kernel := text(v, "status", "imageUrl"), text(v, "status", "kernelUrl")
	boot := models.TextOf(h.node.Fields["boot_interface"])
	switch format := text(v, "status", "format"); {
	case url == "":
		h.note(v.Line, "PreprovisioningImage: not built yet, so no ramdisk is set")
		return
	case format == "iso" && (boot == "" || boot == "ipxe"):
		h.note(v.Line, "PreprovisioningImage %s: not set, because the %s boot interface cannot boot an ISO", url, boot)
		return
	case format == "iso":
		h.node.Set(url, "driver_info", "deploy_iso")
	case format != "initrd":
		h.problem(v.Line, "PreprovisioningImage: status.format %q: use iso or initrd", format)
		return
	default:
		h.node.Set(url, "driver_info", "deploy_ramdisk")
		if kernel != "" {
			h.node.Set(kernel, "driver_info", "deploy_kernel")
		}
	}
	switch params := text(v, "status", "extraKernelParams"); {
	case params == "":
	case text(v, "status", "format") == "iso":
		h.note(v.Line, "PreprovisioningImage: status.extraKernelParams is part of the ISO")
	default:
		h.node.Set("%default% "+params, "driver_info", "kernel_append_params")
	}
}
