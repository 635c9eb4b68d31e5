package conductor

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// instanceCapabilities returns instance_info/capabilities, which is an object or a string with JSON.
func instanceCapabilities(n *db.Node) (db.Dict, error) {
	value, given := n.InstanceInfo["capabilities"]
	if !given {
		return db.Dict{}, nil
	}
	if s, ok := value.(string); ok {
		var parsed any
		if json.Unmarshal([]byte(s), &parsed) == nil {
			value = parsed
		}
	}
	if d, ok := dictOf(value); ok {
		return d, nil
	}
	return nil, invalid("Error parsing capabilities from Node %s instance_info field. A dictionary or a \"jsonified\" dictionary is expected.", n.UUID)
}

// checkCapabilities implements validate_capabilities.
func checkCapabilities(n *db.Node) error {
	for _, c := range []struct {
		name  string
		valid []string
	}{
		{"boot_mode", []string{"bios", "uefi"}},
		{"secure_boot", []string{"true", "false"}},
		{"disk_label", []string{"msdos", "gpt"}},
	} {
		check := func(field, value string) error {
			if value == "" || slices.Contains(c.valid, value) {
				return nil
			}
			return invalid("The parameter '%s' from %s has an invalid value: '%s'. Acceptable values are: %s.", c.name, field, value, strings.Join(c.valid, ", "))
		}
		if err := check("properties/capabilities", capability(n, c.name)); err != nil {
			return err
		}
		instance, err := instanceCapabilities(n)
		if err != nil {
			return err
		}
		if err := check("instance_info['capabilities']", plainOrEmpty(instance[c.name])); err != nil {
			return err
		}
	}
	return nil
}

func plainOrEmpty(value any) string {
	if value == nil {
		return ""
	}
	return python.Str(value)
}

// checkImage checks the image properties that the direct deploy interface requires.
func checkImage(n *db.Node) error {
	info := n.InstanceInfo
	source := info.Text("image_source")
	if source == "" {
		return missing("Node %s failed to validate deploy image info. Some parameters were missing. Missing are: ['instance_info.image_source']", n.UUID)
	}
	if kind := info.Text("image_type"); kind != "" && kind != "partition" && kind != "whole-disk" {
		return invalid("Invalid image_type \"%s\", valid are %s", kind, "whole-disk, partition")
	}
	algorithm, value, checksum := info.Text("image_os_hash_algo") != "", info.Text("image_os_hash_value") != "", info.Text("image_checksum") != ""
	if !strings.HasPrefix(source, "file://") && !strings.HasPrefix(source, "oci://") && (algorithm != value || (!value && !checksum)) {
		return missing("image_source's \"image_checksum\", or \"image_os_hash_algo\" and \"image_os_hash_value\" must be provided in instance_info for node %s", n.UUID)
	}
	download := cmp.Or(info.Text("image_download_source"), n.DriverInfo.Text("image_download_source"))
	if download != "" && !slices.Contains([]string{"swift", "http", "local"}, download) {
		return invalid("Invalid value for image_download_source: \"%s\". Valid values are swift, http or local.", download)
	}
	return nil
}

// buildInstanceInfo implements build_instance_info_for_deploy for images that the agent downloads itself.
func (t *task) buildInstanceInfo(ctx context.Context) error {
	info := t.node.InstanceInfo
	source := info.Text("image_source")
	if _, err := t.c.images.head(ctx, source); err != nil {
		return err
	}
	info["image_url"] = source
	info["image_type"] = "partition"
	if python.Truthy(t.internal("is_whole_disk_image")) {
		info["image_type"] = "whole-disk"
	}
	t.save()
	return nil
}

// Image schemes that need special treatment. An image that is given only by a UUID is in Glance, too.
const (
	schemeOCI    = "oci"
	schemeGlance = "glance"
)

var uuidRule = regexp.MustCompile(`^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$`)

// imageScheme returns the URL scheme of an image (get_image_service in common/image_service.py).
func imageScheme(source string) (string, error) {
	scheme, _, found := strings.Cut(source, ":")
	if !found || strings.ContainsAny(scheme, "/?#") {
		if uuidRule.MatchString(source) {
			return schemeGlance, nil
		}
		return "", badImage(source, "Scheme-less image href is not a UUID.")
	}
	scheme = strings.ToLower(scheme)
	if !slices.Contains([]string{"http", "https", "file", schemeGlance, schemeOCI, "nfs", "cifs", "smb"}, scheme) {
		return "", badImage(source, "Image download protocol %s is not supported.", scheme)
	}
	return scheme, nil
}
