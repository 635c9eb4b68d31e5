package metal3

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/document"
	"ironworks/models"
	"ironworks/models/plan"
)

// deployment plans the installation of a host's image, or the host's custom deployment (getInstanceUpdateOpts and
// getConfigDrive in pkg/provisioner/ironic/ironic.go). A host that already has an instance gets no deployment.
func (h *hostReader) deployment(members []document.Member) {
	parts := map[string]document.Member{}
	for _, m := range members {
		switch m.Key {
		case "image", "customDeploy", "userData", "networkData", "metaData":
			parts[m.Key] = m
		default:
			h.node.Notes = append(h.node.Notes, h.whyLeftOut(m))
		}
	}
	image, custom := parts["image"], parts["customDeploy"]
	method := text(custom.Value, "method")
	url := text(image.Value, "url")
	switch {
	case h.node.Adopt || url == "" && method == "":
		for _, m := range members {
			if _, of := parts[m.Key]; of {
				h.note(m.Line, "spec.%s: unused without a deployment", m.Key)
			}
		}
		return
	case h.node.Name() == "":
		return
	}
	fields := plan.Fields{Kind: plan.KindDirect}
	if method != "" {
		priority := plan.PriorityInstall
		fields.Kind, fields.DeployInterface = plan.KindCustomAgent, "custom-agent"
		if method == string(plan.KindInstallCoreOS) || method == string(plan.KindAssisted) {
			fields.Kind = plan.Kind(method)
		}
		fields.Steps = []models.Step{{Interface: "deploy", Step: method, Priority: &priority}}
		h.node.Set("custom-agent", "deploy_interface")
	}
	h.image(image, method != "", &fields)
	if fields.Kind != plan.KindRamdisk {
		h.configDrive(parts, &fields)
	} else {
		for _, key := range []string{"userData", "networkData", "metaData"} {
			if m, given := parts[key]; given {
				h.note(m.Line, "spec.%s: unused because a live ISO gets no config drive", key)
			}
		}
	}
	if h.result.Plan == nil {
		h.result.Plan = &plan.Plan{}
	}
	h.result.Plan.Nodes = append(h.result.Plan.Nodes, plan.Node{Name: h.node.Name(), Fields: fields})
}

// whyLeftOut returns a note that says why a field is not carried over.
func (h *hostReader) whyLeftOut(m document.Member) string {
	why := "not carried over"
	switch m.Key {
	case "consumerRef":
		why = strings.TrimSpace("the host is in use by "+text(m.Value, "kind")) + " " + key(text(m.Value, "namespace"), text(m.Value, "name")) + "; not carried over"
	case "firmware":
		why = "not applied because Metal3 ignores it, too; use HostFirmwareSettings"
	case "hardwareProfile":
		why = "deprecated; use spec.rootDeviceHints"
	case "networkInterfaces":
		why = "switch ports are not carried over"
	}
	return fmt.Sprintf("line %d: spec.%s: %s", m.Line, m.Key, why)
}

// image sets the image with its checksum.
func (h *hostReader) image(m document.Member, custom bool, fields *plan.Fields) {
	var format, algorithm string
	for _, part := range m.Value.Members {
		value, _ := part.Value.Scalar()
		switch part.Key {
		case "url":
			fields.Image.Source = value
		case "checksum":
			fields.Image.Checksum = value
		case "checksumType":
			algorithm = value
		case "format":
			format = value
		default:
			h.note(part.Line, "spec.image.%s: not carried over", part.Key)
		}
	}
	switch {
	case !slices.Contains([]string{"", "auto", "md5", "sha256", "sha512"}, algorithm):
		h.problem(m.Line, "spec.image.checksumType %q: use auto, md5, sha256 or sha512", algorithm)
	case algorithm != "auto":
		fields.Image.Algorithm = algorithm
	}
	switch {
	case fields.Image.Source == "":
	case format == "live-iso" && !custom:
		h.node.Set(fields.Image.Source, "instance_info", "boot_iso")
		h.node.Set("ramdisk", "deploy_interface")
		*fields = plan.Fields{Kind: plan.KindRamdisk, DeployInterface: "ramdisk"}
	case format != "":
		h.node.Set(format, "instance_info", "image_disk_format")
	}
	if fields.Kind == plan.KindDirect && fields.Image.Checksum == "" && !strings.HasPrefix(strings.ToLower(fields.Image.Source), "oci://") {
		h.problem(m.Line, "spec.image.checksum: missing")
	}
}

// configDrive sets the content of the config drive from the Secrets that the host names.
func (h *hostReader) configDrive(parts map[string]document.Member, fields *plan.Fields) {
	reference := func(m document.Member) (namespace, name string) {
		return cmp.Or(text(m.Value, "namespace"), h.namespace), text(m.Value, "name")
	}
	if m, given := parts["userData"]; given {
		namespace, name := reference(m)
		s, found := h.secrets[key(namespace, name)]
		value, has := s.first("userData", "value")
		switch {
		case !found:
			h.note(m.Line, "spec.userData: Secret %s is not in the file; add its user data to the plan", key(namespace, name))
		case !has:
			h.problem(m.Line, "spec.userData: Secret %s has neither userData nor value", key(namespace, name))
		default:
			fields.ConfigDrive.UserData = value.Reveal()
		}
	}
	fields.ConfigDrive.MetaData = map[string]any{
		"metal3-name": h.name, "local-hostname": h.name, "local_hostname": h.name, "name": h.name,
	}
	if h.namespace != "" {
		fields.ConfigDrive.MetaData["metal3-namespace"] = h.namespace
	}
	for _, one := range []string{"networkData", "metaData"} {
		m, given := parts[one]
		if !given {
			continue
		}
		namespace, name := reference(m)
		data, err := h.structure(namespace, name, one, "value")
		switch {
		case err != nil:
			h.note(m.Line, "spec.%s: %v", one, err)
		case one == "networkData":
			fields.ConfigDrive.NetworkData = data
		default:
			maps.Copy(fields.ConfigDrive.MetaData, data)
		}
	}
	// The ramdisk's network data is used for the config drive if the host specifies none.
	if data, has := h.node.Fields["network_data"].(map[string]any); has && fields.ConfigDrive.NetworkData == nil {
		fields.ConfigDrive.NetworkData = data
	}
}
