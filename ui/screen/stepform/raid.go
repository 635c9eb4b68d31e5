package stepform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/provision"
	"ironworks/ui/widget/form"
)

const raidInterface = "raid"

// The keys of the forms of RAID steps.
const (
	fieldTarget   = "raid_config"
	fieldVolumes  = "volumes"
	fieldExisting = "existing"
)

// The arguments of RAID steps, except the target RAID (ironic/drivers/modules/redfish/raid.py). The agent's steps
// support only delete_existing (ironic_python_agent/hardware.py).
const (
	argDelete = "delete_existing"
	argRoot   = "create_root_volume"
	argOthers = "create_nonroot_volumes"
)

// The choices in the forms of RAID steps. For the volumes to create, the first choice is Ironic's default. For
// existing volumes, the default depends on the step.
const (
	volumesAll    = "all"
	volumesRoot   = "root volume"
	volumesOthers = "other volumes"
	existingKeep  = "keep"
	existingClear = "delete"
)

// raidFields returns fields for the arguments that the step has: the target RAID, what to create, existing volumes.
func raidFields(k steps.Known, n *models.Node) []form.Field {
	var fields []form.Field
	target, name := provision.RAIDTarget{}, ""
	if n != nil {
		target, name = targetOf(n), n.Label()
	}
	if k.Argument(fieldTarget) != nil {
		fields = append(fields, form.Field{
			Key: fieldTarget, Label: "Target RAID", Required: true, Value: volumeWords(k, target.Config), Placeholder: textRAIDPlaceholder,
			Help: textRAIDHelp, Describe: describeRAID(k), Check: problemOfRAID(k, n),
		})
	}
	if k.Argument(argRoot) != nil {
		help := "volumes of the target RAID to create"
		switch {
		case k.Argument(fieldTarget) != nil || n == nil:
		case target.Config == nil:
			help = fmt.Sprintf(textNoRAIDOf, name)
		default:
			help = fmt.Sprintf("target RAID of %s: %s", name, target)
		}
		fields = append(fields, form.Field{Key: fieldVolumes, Label: "Create", Kind: form.Choice, Options: []string{volumesAll, volumesRoot, volumesOthers}, Help: help})
	}
	if a := k.Argument(argDelete); a != nil {
		options := []string{existingKeep, existingClear}
		if a.Default == "true" {
			slices.Reverse(options)
		}
		fields = append(fields, form.Field{Key: fieldExisting, Label: "Existing", Kind: form.Choice, Options: options, Help: textExistingHelp})
	}
	return fields
}

// targetOf returns the target RAID of a node. It has no configuration if there is none or Ironic would reject it.
func targetOf(n *models.Node) provision.RAIDTarget {
	now, err := provision.RAIDOf(n)
	if err != nil || len(now.Target) == 0 {
		return provision.RAIDTarget{}
	}
	target, err := provision.NewRAID(now.Target)
	if err != nil {
		return provision.RAIDTarget{}
	}
	return target
}

// raidArguments returns the arguments of a RAID step. It omits values that are the step's defaults.
func raidArguments(k steps.Known, v map[string]string, n *models.Node) (args map[string]any, field string, err error) {
	args = map[string]any{}
	if k.Argument(fieldTarget) != nil {
		target, err := parseRAID(k, v[fieldTarget])
		if err != nil {
			return nil, fieldTarget, err
		}
		if problem := problemOfRAID(k, n)(v[fieldTarget]); problem != "" {
			return nil, fieldTarget, errors.New(problem)
		}
		args[fieldTarget] = target.Config
	} else if k.Argument(argRoot) != nil && n != nil && targetOf(n).Config == nil {
		return nil, fieldVolumes, fmt.Errorf(textNoRAIDOf, n.Label())
	}
	switch v[fieldVolumes] {
	case volumesRoot:
		args[argOthers] = false
	case volumesOthers:
		args[argRoot] = false
	}
	if a := k.Argument(argDelete); a != nil && v[fieldExisting] != "" {
		if wanted := v[fieldExisting] == existingClear; strconv.FormatBool(wanted) != a.Default {
			args[argDelete] = wanted
		}
	}
	return args, "", nil
}

// raidValues returns the values of the form for the given arguments. ok is false if the form cannot show them.
func raidValues(k steps.Known, args map[string]any) (values map[string]string, ok bool) {
	values = map[string]string{}
	create := map[string]bool{argRoot: true, argOthers: true}
	for name, value := range args {
		on, isBool := value.(bool)
		config, isObject := value.(map[string]any)
		switch {
		case k.Argument(name) == nil:
			return nil, false
		case name == fieldTarget && isObject:
			values[fieldTarget] = volumeWords(k, config)
		case name == argDelete && isBool:
			values[fieldExisting] = existingKeep
			if on {
				values[fieldExisting] = existingClear
			}
		case isBool:
			create[name] = on
		default:
			return nil, false
		}
	}
	switch {
	case !create[argRoot] && !create[argOthers]:
		return nil, false
	case !create[argRoot]:
		values[fieldVolumes] = volumesOthers
	case !create[argOthers]:
		values[fieldVolumes] = volumesRoot
	}
	return values, true
}

// problemOfRAID returns a function that checks a target RAID, also against the RAID interface of n unless n is nil.
func problemOfRAID(k steps.Known, n *models.Node) func(string) string {
	return func(text string) string {
		target, err := parseRAID(k, text)
		if err != nil {
			return models.OnScreen(err)
		}
		if n == nil {
			return ""
		}
		if problems := provision.RAIDProblems(n, target); len(problems) > 0 {
			return fmt.Sprintf("%s: %s", n.Label(), strings.Join(problems, "; "))
		}
		return ""
	}
}

func describeRAID(k steps.Known) func(string) string {
	return func(text string) string {
		target, err := parseRAID(k, text)
		if err != nil {
			return ""
		}
		return target.String()
	}
}

// software reports whether the agent runs the step. The agent can create only volumes whose controller is "software".
func software(k steps.Known) bool { return slices.Contains(k.Drivers, steps.Agent) }

// parseRAID parses a target RAID. The text contains LEVEL:SIZE for each volume, optionally with :root and :NAME, or
// is a YAML or JSON object in braces.
func parseRAID(k steps.Known, text string) (provision.RAIDTarget, error) {
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") {
		return provision.ParseRAID([]byte(text))
	}
	var disks []any
	for _, word := range strings.Fields(text) {
		disk, err := parseVolume(word)
		if err != nil {
			return provision.RAIDTarget{}, err
		}
		if software(k) {
			disk["controller"] = "software"
		}
		disks = append(disks, disk)
	}
	return provision.NewRAID(map[string]any{"logical_disks": disks})
}

func parseVolume(word string) (map[string]any, error) {
	parts := strings.Split(word, ":")
	if len(parts) < 2 || slices.Contains(parts, "") {
		return nil, fmt.Errorf(textRAIDVolumeWrong, word)
	}
	disk := map[string]any{"raid_level": parts[0], "size_gb": parts[1]}
	if size, err := strconv.Atoi(parts[1]); err == nil {
		disk["size_gb"] = size
	} else if parts[1] != "MAX" {
		return nil, fmt.Errorf("%q: the size must be in GiB, or MAX", word)
	}
	for _, part := range parts[2:] {
		key, value := "volume_name", any(part)
		if part == "root" {
			key, value = "is_root_volume", true
		}
		if _, twice := disk[key]; twice {
			return nil, fmt.Errorf(textRAIDVolumeWrong, word)
		}
		disk[key] = value
	}
	return disk, nil
}

// volumeWords returns the short form of a target RAID, or JSON if the short form cannot express it.
func volumeWords(k steps.Known, config map[string]any) string {
	if len(config) == 0 {
		return ""
	}
	var words []string
	for _, disk := range provision.Volumes(config) {
		word, short := volumeWord(disk)
		if !short || software(k) != (disk["controller"] == "software") {
			text, err := models.JSONText(config)
			if err != nil {
				return ""
			}
			return text
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// volumeWord returns the short form of a logical disk. short is false if the short form cannot express it.
func volumeWord(disk map[string]any) (word string, short bool) {
	parts := []string{fmt.Sprint(disk["raid_level"]), fmt.Sprint(disk["size_gb"])}
	for _, name := range slices.Sorted(maps.Keys(disk)) {
		text := fmt.Sprint(disk[name])
		switch {
		case name == "raid_level", name == "size_gb", name == "controller" && text == "software", name == "is_root_volume" && text == "false":
			continue
		case name == "is_root_volume" && text == "true":
			text = "root"
		case name != "volume_name" || text == "root":
			return "", false
		}
		if text == "" || strings.ContainsAny(text, ": \t") {
			return "", false
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ":"), true
}
