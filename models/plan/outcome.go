package plan

import (
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

// interfaceAutodetect is a deploy interface that switches to another one when a deployment starts
// (ironic/drivers/modules/autodetect.py in Ironic 39.0).
const interfaceAutodetect = "autodetect"

// NeedsInventory reports whether the checks need the inventory, because a disk may be written.
func (f *Facts) NeedsInventory() bool {
	return slices.ContainsFunc(f.possibleKinds(), func(k Kind) bool { return k.PicksDisk() || k == KindAnaconda })
}

// kindOfInterface returns the kind of a deployment that has the given deploy interface and no steps.
func kindOfInterface(deployInterface string) Kind {
	if k := Kind(deployInterface); deployInterface != "" && k.deployInterface() == deployInterface {
		return k
	}
	return KindConfigured
}

// Interface returns the deploy interface that performs the deployment. It is the node's interface or, if that is
// autodetect, the one that autodetect is expected to select.
func (f *Facts) Interface() string {
	if f.autodetects() {
		if k := f.Kind.deployInterface(); k != "" {
			return k
		}
	}
	return f.DeployInterface()
}

// InterfaceText formats the result of [Facts.DeployInterface]. For autodetect, it adds the interfaces that autodetect
// is expected to select.
func (f *Facts) InterfaceText() string {
	if !f.autodetects() {
		return models.OrNone(f.DeployInterface())
	}
	names := make([]string, len(f.Outcomes))
	for i, k := range f.Outcomes {
		names[i] = k.deployInterface()
		if names[i] == "" {
			names[i] = "another interface"
		}
	}
	return interfaceAutodetect + " → " + strings.Join(names, " or ") + " (predicted)"
}

func (f *Facts) autodetects() bool { return f.DeployInterface() == interfaceAutodetect }

// autodetected returns the kinds to which autodetect may switch. Ironic takes the first interface in
// [DEFAULT]autodetect_deploy_interfaces that supports the node or, if none does, the last one
// (autodetect.py, switch_interface). The API does not show this list, so the default is assumed:
// ramdisk, bootc and direct, except those that are not enabled.
//
// The supports_deploy method of each interface makes the decision. The ramdisk interface requires
// instance_info.ironic_ramdisk_deploy together with boot_iso, or with kernel and ramdisk, or these
// as properties of a Glance image. The bootc interface requires an oci:// image whose manifest is
// not an artifact. Glance and the registry are not queried here, so both outcomes remain possible.
func (f *Facts) autodetected() []Kind {
	image, _ := f.imageOf()
	enabled, known := f.EnabledDeploy()
	may := func(k Kind) bool { return !known || slices.Contains(enabled, k.deployInterface()) }
	ramdisk := may(KindRamdisk) && f.asksForRamdisk()
	if ramdisk && image.Source == "" {
		// All other interfaces on the list need an image, and refuse to deploy without one.
		return []Kind{KindRamdisk}
	}
	// Kinds that write a disk come first.
	var kinds []Kind
	if strings.HasPrefix(image.Source, "oci://") && may(KindBootc) {
		kinds = append(kinds, KindBootc)
	}
	kinds = append(kinds, f.autodetectFallback(enabled, may)...)
	if ramdisk || isGlanceImage(image.Source) && may(KindRamdisk) {
		kinds = append(kinds, KindRamdisk)
	}
	return kinds
}

// autodetectFallback returns the kinds to which autodetect may switch if no other interface supports the node. Ironic
// then selects the last interface in its list. That is direct if it is enabled; otherwise, it may be any enabled
// interface.
func (f *Facts) autodetectFallback(enabled []string, may func(Kind) bool) []Kind {
	if may(KindDirect) {
		return []Kind{KindDirect}
	}
	var kinds []Kind
	for _, name := range enabled {
		if name != interfaceAutodetect {
			kinds = append(kinds, kindOf(name, f.Plan.Steps))
		}
	}
	if kinds == nil {
		return []Kind{KindConfigured}
	}
	return kinds
}

// asksForRamdisk reports whether instance_info meets the requirements of supports_deploy in ramdisk.py.
func (f *Facts) asksForRamdisk() bool {
	has := func(field string) bool { return hints.PythonTruthy(f.Node.InstanceInfo[field]) }
	return has("ironic_ramdisk_deploy") && (has("boot_iso") || has("kernel") && has("ramdisk"))
}

// isGlanceImage emulates is_glance_image in ironic/common/glance_service/service_utils.py.
func isGlanceImage(source string) bool {
	return strings.HasPrefix(source, "glance://") || uuidLike(source)
}

// uuidLike emulates is_uuid_like of oslo.utils, which ignores urn: and uuid: in lower case, then braces, then hyphens.
func uuidLike(text string) bool {
	plain := strings.Trim(strings.NewReplacer("urn:", "", "uuid:", "").Replace(text), "{}")
	plain = strings.ToLower(strings.ReplaceAll(plain, "-", ""))
	return len(plain) == 32 && !strings.ContainsFunc(plain, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
}

// EnabledDeploy returns the deploy interfaces that are enabled for the node's driver. The known result is false if
// Ironic does not report them.
func (f *Facts) EnabledDeploy() (enabled []string, known bool) {
	for _, d := range f.Drivers {
		if d.Name == f.Node.Driver && d.Enabled["deploy"] != nil {
			return d.Enabled["deploy"], true
		}
	}
	return nil, false
}
