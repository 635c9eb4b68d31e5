package agent

import (
	"errors"
	"io"
	"slices"
	"strings"

	"ironworks/agent/imageformat"
	"ironworks/python"
)

// override applies the configuration in the response to the lookup; see process_lookup_data in the agent's agent.py.
func (o *ImageOptions) override(config *dict) {
	if v := config.Get("disable_deep_image_inspection"); v != nil {
		o.Uninspected = python.Truthy(v)
	}
	if v, ok := config.Get("permitted_image_formats").(list); ok {
		o.Formats = nil
		for _, format := range v {
			o.Formats = append(o.Formats, python.Str(format))
		}
	}
	if v := config.Get("agent_md5_checksum_enable"); v != nil {
		o.MD5 = python.Truthy(v)
	}
}

// permitted returns the image formats that an agent of the given generation accepts.
func (o *ImageOptions) permitted(age generation) []string {
	switch {
	case o.Formats != nil:
		return o.Formats
	case age == legacyAgent:
		return []string{"raw", "qcow2"}
	}
	return []string{"raw", "gpt", "qcow2"}
}

// checkFormat returns the format of a downloaded image and the size of its disk, in bytes. Without this check,
// qemu-img would open files and connect to hosts that the image names. See get_and_validate_image_format in
// ironic_python_agent/disk_utils.py.
//
// An image to which Ironic assigns the gpt format is written without a conversion. The real agent passes this name to
// qemu-img, which does not know such a format.
func (a *agent) checkFormat(info imageInfo, image io.ReaderAt, size int64) (format string, virtual int64, err error) {
	age := a.options.generation()
	if info.format == "raw" || info.format == "gpt" && age == currentAgent {
		return "raw", size, nil
	}
	rules := imageformat.Current
	if age == legacyAgent {
		rules = imageformat.Old
	}
	found, err := imageformat.Inspect(image, size, rules)
	if a.options.Images.Uninspected {
		return uninspected(info, found), max(found.VirtualSize, size), nil
	}
	if err != nil {
		return "", 0, a.unsafeImage("%s", age.inspectionError(err))
	}
	permitted := a.options.Images.permitted(age)
	switch anyFormat := info.format == "" || info.format == "unknown" && age == currentAgent; {
	case !slices.Contains(permitted, found.Name):
		return "", 0, a.unsafeImage("Security: Detected image format was %s, but only %s are allowed", found.Name, strings.Join(permitted, ", "))
	case !anyFormat && info.format != found.Name:
		return "", 0, a.unsafeImage("Security: Expected format was %s, but image was actually %s", info.format, found.Name)
	}
	if found.Name == "gpt" {
		return "raw", found.VirtualSize, nil
	}
	return found.Name, found.VirtualSize, nil
}

// uninspected returns the format of an image that is not inspected. The real agent gets the format from qemu-img.
func uninspected(info imageInfo, found imageformat.Format) string {
	switch {
	case info.format != "" && info.format != "unknown":
		return info.format
	case found.Name == "" || found.Name == "gpt":
		return "raw"
	}
	return found.Name
}

// inspectionError returns the agent's message for a failed inspection; see _image_inspection in disk_utils.py.
func (a generation) inspectionError(err error) string {
	_, unsafe := errors.AsType[*imageformat.UnsafeError](err)
	switch {
	case unsafe:
		return "Security: Image failed safety check"
	case a == legacyAgent:
		return "Security: Unable to safety check image"
	}
	return "Security: Image matched multiple potential formats"
}

func (a *agent) unsafeImage(format string, args ...any) *fault {
	f := newFault(invalidImage, format, args...)
	a.log.disks.error("%s", f.Details)
	return f
}
