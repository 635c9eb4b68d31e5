package deploy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/widget/form"
)

const (
	keyKind      = "kind"
	keyInterface = "deploy_interface"
	keyISO       = "iso"
	keyKernel    = "kernel"
	keyInitrd    = "initrd"
	keyParams    = "params"
	keyImage     = "image"
	keyChecksum  = "checksum"
	keyAlgorithm = "algorithm"
	keyFormat    = "format"
	keyUserData  = "user_data_file"
	keyKargs     = "kargs"
	keyNetwork   = "copy network"
	keyReader    = "user data reader"
)

// auto is the option that leaves a field of the plan empty.
const auto = "auto"

func (s *Screen) ramdiskForm() *form.Inline {
	f, n := s.fields(), s.planned().Node
	s.kind, s.allocates = s.planned().Kind, f.Allocate.Asked()
	has := func(object map[string]any, keys ...string) string {
		for _, key := range keys {
			if text, is := object[key].(string); is && text != "" {
				return key + " of the node: " + text
			}
		}
		return ""
	}
	kinds := append([]string{auto}, models.Texts(plan.Kinds())...)
	info, iso, kernel, initrd := n.DriverInfo, "deploy_iso", "deploy_kernel", "deploy_ramdisk"
	if s.planned().Kind == plan.KindRamdisk {
		info, iso, kernel, initrd = n.InstanceInfo, "boot_iso", "kernel", "ramdisk"
	}
	iface := "from the kind or the node"
	if n.DeployInterface != "" {
		own := plan.Facts{Node: n, Plan: plan.Fields{Image: f.Image}}
		if known := s.checkedFacts(); known != nil {
			own.Drivers = known.Drivers
		}
		_ = own.Resolve() // an error would concern the hints, which do not matter here
		iface = "the node's: " + own.InterfaceText()
	}
	here := ""
	if s.kind != "" {
		here = ": " + string(s.kind) + " here"
	}
	const what, boots, image = "Deployment", "Ramdisk", "Image"
	fields := []form.Field{
		{
			Key: keyKind, Section: what, Label: "Kind", Kind: form.Choice, Options: kinds,
			Help: "auto: from the deploy interface and the steps" + here + textKindDefault,
		},
		{
			Key: keyInterface, Section: what, Label: "Interface", Placeholder: iface,
			Suggestions: s.interfaces(), Help: "deploy interface; set on the node if different",
		},
		{Key: keyISO, Section: boots, Label: "ISO", Placeholder: has(info, iso), Help: textISOHelp},
		{Key: keyKernel, Section: boots, Label: "Kernel", Placeholder: has(info, kernel), Help: textKernelHelp},
		{Key: keyInitrd, Section: boots, Label: "Initrd", Placeholder: has(info, initrd), Help: textInitramfsHelp},
		{
			Key: keyParams, Section: boots, Label: "Kernel args", Placeholder: has(info, "kernel_append_params"),
			Help: "kernel_append_params; only with a kernel, not with an ISO",
		},
	}
	source := has(n.InstanceInfo, "image_source")
	switch kind := s.planned().Kind; {
	case kind == plan.KindInstallCoreOS:
		source = cmp.Or(source, "included in the live ISO")
		fields = append(fields, form.Field{
			Key: keyImage, Section: image, Label: "Source", Placeholder: source,
			Help: textImageHelp,
		})
	case kind.WritesImage():
		fields = append(fields,
			form.Field{Key: keyImage, Section: image, Label: "Source", Placeholder: source, Help: textDiskImageHelp},
			form.Field{Key: keyChecksum, Section: image, Label: "Checksum", Help: textChecksumHelp},
			form.Field{Key: keyAlgorithm, Section: image, Label: "Algorithm", Kind: form.Choice, Options: []string{auto, "md5", "sha256", "sha512"}, Help: textHashHelp},
			form.Field{Key: keyFormat, Section: image, Label: "Format", Kind: form.Choice, Options: imageFormats(f.Image.Format), Help: textFormatHelp},
		)
	}
	return s.inline(ramdiskValues(f), append(fields, allocateFields(f, n)...))
}

// interfaces returns the deploy interfaces that are enabled for the node's driver. Before the first checks, it returns
// the interfaces that exist in every release of Ironic.
func (s *Screen) interfaces() []string {
	if f := s.checkedFacts(); f != nil {
		if enabled, known := f.EnabledDeploy(); known {
			return enabled
		}
	}
	return []string{"custom-agent", "direct", "ramdisk"}
}

func notAuto(text string) string {
	if text == auto {
		return ""
	}
	return strings.TrimSpace(text)
}

// formChanged applies the values of the current page's form to the plan.
func (s *Screen) formChanged() tea.Cmd {
	f := s.form()
	if f == nil {
		return nil
	}
	before := s.fields()
	was := ramdiskValues(before)
	if s.page() == pageBoot {
		was = bootValues(before)
	}
	var cmd tea.Cmd
	values := f.Values()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if value := values[key]; value != was[key] {
			cmd = s.setField(key, value)
		}
	}
	if (s.planned().Kind != s.kind || s.fields().Allocate.Asked() != s.allocates) && s.page() == pageRamdisk && !f.Editing() {
		focus := f.Focus() // the form needs other fields now
		s.ramdisk = s.ramdiskForm()
		s.ramdisk.SetFocus(focus)
	}
	if before.ConfigDrive.UserDataFile != s.fields().ConfigDrive.UserDataFile && !f.Editing() {
		return tea.Batch(cmd, s.readFile(true))
	}
	return cmd
}

func ramdiskValues(f plan.Fields) map[string]string {
	values := map[string]string{keyReserve: reserveByHand}
	if f.Allocate.Asked() {
		values = map[string]string{
			keyReserve: reserveByIronic, keyClass: f.Allocate.ResourceClass, keyTraits: strings.Join(f.Allocate.Traits, " "),
		}
	}
	for key, text := range ramdiskTexts(&f) {
		values[key] = *text
	}
	for _, key := range []string{keyKind, keyAlgorithm, keyFormat} {
		values[key] = cmp.Or(values[key], auto)
	}
	return values
}

// ramdiskTexts returns the fields of the plan that the Ramdisk page sets, by form field.
func ramdiskTexts(f *plan.Fields) map[string]*string {
	return map[string]*string{
		keyKind: (*string)(&f.Kind), keyInterface: &f.DeployInterface, keyISO: &f.Ramdisk.ISO, keyKernel: &f.Ramdisk.Kernel,
		keyInitrd: &f.Ramdisk.Initrd, keyParams: &f.Ramdisk.Params, keyImage: &f.Image.Source, keyChecksum: &f.Image.Checksum,
		keyAlgorithm: &f.Image.Algorithm, keyFormat: &f.Image.Format,
	}
}

func (s *Screen) setField(key, value string) tea.Cmd {
	switch key {
	case keyUserData, keyReader, keyKargs, keyNetwork:
		return s.change(plan.PartConfigDrive, func(f *plan.Fields) { setBoot(f, key, value) })
	case keyReserve, keyClass, keyTraits:
		return s.change(plan.PartAllocate, func(f *plan.Fields) { setAllocate(f, key, value) })
	}
	return s.change(plan.PartRamdisk, func(f *plan.Fields) { *ramdiskTexts(f)[key] = notAuto(value) })
}

func setBoot(f *plan.Fields, key, value string) {
	d := &f.ConfigDrive
	meta := map[string]any{}
	maps.Copy(meta, d.MetaData)
	set := func(name string, to any, given bool) {
		delete(meta, name)
		if given {
			meta[name] = to
		}
		d.MetaData = meta
		if len(meta) == 0 {
			d.MetaData = nil
		}
	}
	switch key {
	case keyUserData:
		d.UserDataFile = strings.TrimSpace(value)
		if d.UserDataFile != "" {
			d.UserData = ""
		}
	case keyReader:
		d.Reader = plan.UserDataReader(notAuto(value))
	case keyKargs:
		var list []any
		for _, word := range strings.Fields(value) {
			list = append(list, word)
		}
		set(metaKargs, list, len(list) > 0)
	case keyNetwork:
		set(metaNetwork, value == networkCopied, value == networkCopied || value == networkLeft)
	}
}

// The configdrive's meta data keys that the install_coreos step reads.
const (
	metaKargs   = "coreos_append_karg"
	metaNetwork = "coreos_copy_network"
)

const (
	networkCopied = "copied"
	networkLeft   = "not copied"
)

// kargsText returns the kernel arguments in the meta data, separated by spaces.
func kargsText(meta map[string]any) string {
	list, isList := meta[metaKargs].([]any)
	if !isList {
		if v := meta[metaKargs]; v != nil {
			return fmt.Sprint(v)
		}
		return ""
	}
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, " ")
}

const (
	keyReserve = "reserve"
	keyClass   = "allocate class"
	keyTraits  = "allocate traits"
)

const (
	reserveByHand   = "instance_uuid"
	reserveByIronic = "allocation"
)

// allocateFields returns the fields of the Ramdisk page that describe an allocation.
func allocateFields(f plan.Fields, n *models.Node) []form.Field {
	const section = "Reservation"
	fields := []form.Field{{
		Key: keyReserve, Section: section, Label: "By", Kind: form.Choice, Options: []string{reserveByHand, reserveByIronic},
		Help: "record an allocation in Ironic; only for available nodes with a resource class (API 1.52)",
	}}
	if !f.Allocate.Asked() {
		return fields
	}
	class := "the node has none"
	if n.ResourceClass != "" {
		class = "the node's: " + n.ResourceClass
	}
	return append(fields,
		form.Field{Key: keyClass, Section: section, Label: "Class", Placeholder: class, Help: textClassHelp},
		form.Field{
			Key: keyTraits, Section: section, Label: "Traits", Suggestions: n.Traits, Placeholder: "none",
			Help: "traits to request, separated by spaces; used as instance traits unless Steps sets others",
		},
	)
}

// setAllocate stores the value of an allocation field in the plan. To disable an allocation, it stores an explicit
// "off", because the plan may request an allocation for all nodes.
func setAllocate(f *plan.Fields, key, value string) {
	a := plan.Allocate{}
	if f.Allocate.Asked() {
		a = *f.Allocate
	}
	switch key {
	case keyReserve:
		a = plan.Allocate{Off: value != reserveByIronic}
	case keyClass:
		a.ResourceClass = strings.TrimSpace(value)
	case keyTraits:
		a.Traits = strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' })
	}
	f.Allocate = &a
}
