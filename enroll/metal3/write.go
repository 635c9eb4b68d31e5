package metal3

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ironworks/enroll"
	"ironworks/models"
)

// baremetalHost is a BareMetalHost (apis/metal3.io/v1alpha1, baremetalhost_types.go) with the fields that Write sets.
type baremetalHost struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
	Spec       hostSpec `yaml:"spec"`
}

type metadata struct {
	Name      string `yaml:"name"`
	Namespace string `yaml:"namespace,omitempty"`
}

type hostSpec struct {
	Online                         bool           `yaml:"online"`
	ExternallyProvisioned          bool           `yaml:"externallyProvisioned,omitempty"`
	BMC                            bmcSpec        `yaml:"bmc"`
	BootMACAddress                 string         `yaml:"bootMACAddress,omitempty"`
	BootMode                       string         `yaml:"bootMode,omitempty"`
	Architecture                   string         `yaml:"architecture,omitempty"`
	RootDeviceHints                map[string]any `yaml:"rootDeviceHints,omitempty"`
	AutomatedCleaningMode          string         `yaml:"automatedCleaningMode"`
	InspectionMode                 string         `yaml:"inspectionMode,omitempty"`
	DisablePowerOff                bool           `yaml:"disablePowerOff,omitempty"`
	Description                    string         `yaml:"description,omitempty"`
	PreprovisioningNetworkDataName string         `yaml:"preprovisioningNetworkDataName,omitempty"`
}

type bmcSpec struct {
	Address                        string `yaml:"address"`
	CredentialsName                string `yaml:"credentialsName"`
	DisableCertificateVerification bool   `yaml:"disableCertificateVerification,omitempty"`
}

// secretManifest is a Secret in plain text.
type secretManifest struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   metadata          `yaml:"metadata"`
	Type       string            `yaml:"type"`
	StringData map[string]string `yaml:"stringData"`
}

// Write writes nodes as BareMetalHosts with their Secrets; see the package comment. It writes placeholders for unknown
// passwords, and omits nodes whose driver Metal3 does not support. The notes list data that manifests cannot carry.
func Write(w io.Writer, nodes []enroll.Node) (notes []string, err error) {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	taken := map[string]bool{}
	written := 0
	for i := range nodes {
		h := &hostWriter{node: &nodes[i]}
		docs, ok := h.manifests(taken)
		notes = append(notes, h.notes...)
		for _, doc := range docs {
			if !ok {
				break
			}
			written++
			if err := enc.Encode(doc); err != nil {
				return notes, err
			}
		}
	}
	if written == 0 {
		return notes, nil
	}
	return notes, enc.Close()
}

// hostWriter makes the manifests for a node.
type hostWriter struct {
	node  *enroll.Node
	notes []string
	host  baremetalHost
	// carried contains the paths of the node's fields that the manifest can represent.
	carried map[string]bool
}

func (h *hostWriter) note(format string, args ...any) {
	h.notes = append(h.notes, h.node.Label()+": "+fmt.Sprintf(format, args...))
}

func (h *hostWriter) manifests(taken map[string]bool) (docs []any, ok bool) {
	h.carried = map[string]bool{"name": true, "driver": true}
	h.host = baremetalHost{APIVersion: "metal3.io/v1alpha1", Kind: "BareMetalHost"}
	h.host.Metadata = h.name(taken)
	access, ok := h.bmc()
	if !ok {
		return nil, false
	}
	name := h.host.Metadata
	name.Name += "-bmc-secret"
	h.host.Spec.BMC.CredentialsName = name.Name
	docs = []any{h.credentials(access, name)}
	s := &h.host.Spec
	s.Online, s.ExternallyProvisioned = true, h.node.Adopt
	s.AutomatedCleaningMode = "metadata"
	if h.field("automated_clean") == false {
		s.AutomatedCleaningMode = "disabled"
	}
	s.DisablePowerOff = h.field("disable_power_off") == true
	s.Description = models.TextOf(h.field("description"))
	s.Architecture = models.TextOf(h.field("properties", "cpu_arch"))
	h.bootMode()
	h.hints()
	h.ports()
	h.interfaces(access)
	if data, given := h.field("network_data").(map[string]any); given && len(data) > 0 {
		raw, err := json.Marshal(data)
		if err != nil {
			h.note("network_data: %v", err)
		}
		name.Name = h.host.Metadata.Name + "-network-data"
		s.PreprovisioningNetworkDataName = name.Name
		docs = append(docs, secretManifest{"v1", "Secret", name, "Opaque", map[string]string{"networkData": string(raw)}})
	}
	h.noteLeftOut()
	return append(docs, h.host), true
}

// field returns the value at a path in the node's fields, and marks this path as carried by the manifest.
func (h *hostWriter) field(path ...string) any {
	h.carried[strings.Join(path, ".")] = true
	var value any = h.node.Fields
	for _, key := range path {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// name returns a free name for the host that Kubernetes accepts: lower-case letters, digits, - and . only.
func (h *hostWriter) name(taken map[string]bool) metadata {
	full := cmp.Or(h.node.Name(), h.node.Identity())
	m := metadata{Name: full}
	if namespace, name, both := strings.Cut(full, "~"); both {
		m = metadata{Name: name, Namespace: kubernetesName(namespace)}
	}
	m.Name = kubernetesName(m.Name)
	for i, base := 2, m.Name; taken[key(m.Namespace, m.Name)]; i++ {
		m.Name = fmt.Sprintf("%s-%d", base, i)
	}
	taken[key(m.Namespace, m.Name)] = true
	if NodeName(m.Namespace, m.Name) != full {
		h.note("name: the host is named %s", key(m.Namespace, m.Name))
	}
	return m
}

func kubernetesName(name string) string {
	const longest = 200 // Kubernetes allows 253 characters, but the names of Secrets have a suffix
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	for strings.Contains(name, "..") || strings.Contains(name, ".-") || strings.Contains(name, "-.") {
		name = strings.NewReplacer("..", ".", ".-", "-", "-.", "-").Replace(name)
	}
	return cmp.Or(strings.Trim(name[:min(len(name), longest)], "-."), "host")
}

// credentials returns the Secret for the BMC, with placeholders for an unknown user name or password.
func (h *hostWriter) credentials(a access, name metadata) secretManifest {
	user := cmp.Or(models.TextOf(h.field("driver_info", a.prefix+"username")), enroll.Placeholder)
	password := cmp.Or(h.node.Secrets[a.prefix+"password"].Reveal(), enroll.Placeholder)
	for _, key := range slices.Sorted(maps.Keys(h.node.Secrets)) {
		if key != a.prefix+"password" {
			h.note("driver_info.%s: not in the manifest", key)
		}
	}
	return secretManifest{"v1", "Secret", name, "Opaque", map[string]string{"username": user, "password": password}}
}

// bootMode sets the boot mode according to the capabilities.
func (h *hostWriter) bootMode() {
	given := models.TextOf(h.field("properties", "capabilities"))
	if given == "" {
		h.note("properties.capabilities: no boot_mode; Metal3 uses UEFI")
		return
	}
	mode, secure := "", false
	for item := range strings.SplitSeq(given, ",") {
		switch item = strings.TrimSpace(item); item {
		case "boot_mode:uefi":
			mode = "UEFI"
		case "boot_mode:bios":
			mode = "legacy"
		case "secure_boot:true":
			secure = true
		case "secure_boot:false", "":
		default:
			h.note("properties.capabilities %s: not in the manifest", item)
		}
	}
	switch {
	case secure && mode != "legacy":
		mode = "UEFISecureBoot"
	case mode == "":
		h.note("properties.capabilities: no boot_mode; Metal3 uses UEFI")
	}
	h.host.Spec.BootMode = mode
}

// hints writes the root device hints of the instance or, if it has none, those of the node.
func (h *hostWriter) hints() {
	of, _ := h.field("instance_info", "root_device").(map[string]any)
	if own, _ := h.field("properties", "root_device").(map[string]any); len(of) == 0 {
		of = own
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		key, value, err := hintOf(name, fmt.Sprint(of[name]))
		if err != nil {
			h.note("root device hint %v", err)
		}
		if key == "" {
			continue
		}
		if h.host.Spec.RootDeviceHints[key] != nil {
			h.note("root device hint %s: deviceName is already used", name)
			continue
		}
		if h.host.Spec.RootDeviceHints == nil {
			h.host.Spec.RootDeviceHints = map[string]any{}
		}
		h.host.Spec.RootDeviceHints[key] = value
	}
}

// ports writes the first port that can boot. Metal3 creates the other ports after inspection.
func (h *hostWriter) ports() {
	for _, g := range h.node.Portgroups {
		h.note("port group %s: not in the manifest", models.TextOf(g.Fields["name"]))
	}
	for _, p := range h.node.AllPorts() {
		if h.host.Spec.BootMACAddress != "" || p["pxe_enabled"] == false {
			h.note("port %s: not in the manifest", p.Address())
			continue
		}
		h.host.Spec.BootMACAddress = p.Address()
		for _, field := range slices.Sorted(maps.Keys(p)) {
			if field != "address" && field != "pxe_enabled" {
				h.note("port %s: %s is not in the manifest", p.Address(), field)
			}
		}
	}
}

// noteLeftOut notes the fields that the manifest cannot hold.
func (h *hostWriter) noteLeftOut() {
	for _, field := range slices.Sorted(maps.Keys(h.node.Fields)) {
		object, is := h.node.Fields[field].(map[string]any)
		switch {
		case h.carried[field]:
		case !is:
			h.note("%s: not in the manifest", field)
		default:
			for _, key := range slices.Sorted(maps.Keys(object)) {
				if !h.carried[field+"."+key] {
					h.note("%s.%s: not in the manifest", field, key)
				}
			}
		}
	}
	if len(h.node.Traits) > 0 {
		h.note("traits %s: not in the manifest", strings.Join(h.node.Traits, ", "))
	}
}
