package hardware

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/raid"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// edit asks for the properties of the volume p.target[at] or, if at is negative, of a new volume.
func (p *raidPage) edit(at int) tea.Cmd {
	disk := map[string]any{raid.KeyLevel: "1", raid.KeySize: "MAX"}
	if f, _ := p.from.Value(); f.raid.Interface == "agent" {
		disk[raid.KeyController] = "software"
	}
	title := "Add a RAID volume"
	if at >= 0 && at < len(p.target) {
		disk, title = p.target[at], fmt.Sprintf("RAID volume %d", at+1)
	}
	text := func(key string) string {
		if disk[key] == nil {
			return ""
		}
		return fmt.Sprint(disk[key])
	}
	root, _ := disk[raid.KeyRoot].(bool)
	fields := []form.Field{
		{Key: raid.KeyLevel, Label: "RAID level", Kind: form.Choice, Options: raid.Levels(), Value: text(raid.KeyLevel), Help: textLevelHelp},
		{Key: raid.KeySize, Label: "Size", Required: true, Value: text(raid.KeySize), Placeholder: "GIB or MAX", Help: textSizeHelp},
		{Key: raid.KeyName, Label: "Name", Value: text(raid.KeyName), Help: "name of the volume; empty: the controller chooses"},
		{Key: raid.KeyRoot, Label: "Root volume", Kind: form.Toggle, Value: strconv.FormatBool(root), Help: textRootHelp},
		{Key: raid.KeyDrives, Label: "Drives", Value: drivesText(disk[raid.KeyDrives]), Help: textDrivesHelp},
		{Key: raid.KeyCount, Label: "Drive count", Value: text(raid.KeyCount), Help: "number of drives, if Ironic chooses them"},
		{Key: raid.KeyDiskType, Label: "Disk type", Kind: form.Choice, Options: []string{"", "hdd", "ssd"}, Value: text(raid.KeyDiskType), Help: textTypeHelp},
		{Key: raid.KeyInterface, Label: "Interface type", Kind: form.Choice, Options: []string{"", "sata", "sas", "scsi"}, Value: text(raid.KeyInterface), Help: textTypeHelp},
		{Key: raid.KeyController, Label: "Controller", Value: text(raid.KeyController), Help: textControllerHelp},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		given, field, err := logicalDisk(v)
		if err != nil {
			return nil, field, models.OnScreen(err)
		}
		return screen.SendLater(p.s, func() tea.Cmd {
			p.set(at, given)
			return nil
		}), "", ""
	})})
}

// set replaces the volume p.target[at] with disk. If there is no such volume, it appends disk.
func (p *raidPage) set(at int, disk map[string]any) {
	target := append([]map[string]any{}, p.target...)
	if at >= 0 && at < len(target) {
		target[at] = disk
	} else {
		target = append(target, disk)
	}
	p.target, p.edited = target, true
	p.show()
}

// drivesText returns a volume's drives as the form shows them: IDs, or a JSON list of hints.
func drivesText(v any) string {
	list, _ := v.([]any)
	ids := make([]string, len(list))
	for i, d := range list {
		id, isText := d.(string)
		if !isText {
			text, _ := models.JSONText(list) // the list was decoded from JSON, so this cannot fail
			return text
		}
		ids[i] = id
	}
	return strings.Join(ids, ", ")
}

// logicalDisk returns the volume that the form describes, or the invalid field and why. It does not check the volume
// against the other volumes.
func logicalDisk(v map[string]string) (disk map[string]any, field string, err error) {
	disk = map[string]any{raid.KeyLevel: v[raid.KeyLevel]}
	for _, key := range []string{raid.KeyName, raid.KeyDiskType, raid.KeyInterface, raid.KeyController} {
		if text := strings.TrimSpace(v[key]); text != "" {
			disk[key] = text
		}
	}
	if v[raid.KeyRoot] == "true" {
		disk[raid.KeyRoot] = true
	}
	disk[raid.KeySize] = strings.ToUpper(strings.TrimSpace(v[raid.KeySize]))
	for _, key := range []string{raid.KeySize, raid.KeyCount} {
		text := strings.TrimSpace(v[key])
		if n, err := strconv.Atoi(text); err == nil {
			disk[key] = n
		} else if key == raid.KeyCount && text != "" {
			return nil, key, fmt.Errorf("%q is not a number", text)
		}
	}
	if disk[raid.KeyDrives], err = drivesOf(v[raid.KeyDrives]); err != nil {
		return nil, raid.KeyDrives, err
	}
	if disk[raid.KeyDrives] == nil {
		delete(disk, raid.KeyDrives)
	}
	_, err = provision.NewRAID(map[string]any{raid.KeyDisks: []any{disk}})
	return disk, raid.KeySize, err
}

// drivesOf parses the field for the drives: IDs separated by commas, or a JSON list of hints.
func drivesOf(text string) (any, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, nil //nolint:nilnil // Ironic chooses
	case strings.HasPrefix(text, "["):
		var list []any
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, fmt.Errorf("drives: %w", err)
		}
		return list, nil
	}
	var list []any
	for id := range strings.SplitSeq(text, ",") {
		if id = strings.TrimSpace(id); id != "" {
			list = append(list, id)
		}
	}
	if len(list) == 0 {
		return nil, nil //nolint:nilnil // as above
	}
	return list, nil
}
