package deploy

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/models/steps"
	"ironworks/ui/widget/form"
)

const keyHints = "hints"

// takesImage reports whether step k writes the image in instance_info to the root disk. Such a step has no arguments
// (AgentDeploy.write_image in ironic/drivers/modules/agent.py), so its form changes the image and the root device of
// the plan instead.
func takesImage(k steps.Known) bool { return k.Label() == "deploy.write_image" || installsCoreOS(k) }

func installsCoreOS(k steps.Known) bool { return k.Label() == "deploy.install_coreos" }

// imageFormats returns the options for the image format: auto and the formats that Ironic permits by default
// (permitted_image_formats in ironic/conf/conductor.py). It adds now, the current format, if the list does not
// contain it.
func imageFormats(now string) []string {
	list := []string{auto, "raw", "qcow2", "gpt", "iso"}
	if now != "" && !slices.Contains(list, now) {
		list = append(list, now)
	}
	return list
}

// imageFields returns form fields for the image and the root device if step k writes an image. Otherwise it returns
// nil. Placeholders show the node's values, which remain in effect if the fields stay empty.
func (s *Screen) imageFields(k steps.Known) []form.Field {
	if !takesImage(k) {
		return nil
	}
	f, node := s.fields(), s.planned().Node.InstanceInfo
	ofNode := func(keys ...string) string {
		for _, key := range keys {
			if text := models.MaskURL(models.TextOf(node[key])); text != "" {
				return textOfNode + text
			}
		}
		return ""
	}
	fields := []form.Field{{Key: keyImage, Label: "Image", Value: f.Image.Source, Placeholder: ofNode("image_source"), Help: textDiskImageHelp}}
	if installsCoreOS(k) {
		fields[0].Help = textImageHelp
	} else {
		fields[0].Required = fields[0].Placeholder == ""
		fields = append(
			fields,
			form.Field{Key: keyChecksum, Label: "Checksum", Value: f.Image.Checksum, Placeholder: ofNode("image_checksum", "image_os_hash_value"), Help: textChecksumHelp},
			form.Field{Key: keyAlgorithm, Label: "Algorithm", Kind: form.Choice, Value: orAuto(f.Image.Algorithm), Options: []string{auto, "md5", "sha256", "sha512"}, Help: textHashHelp},
			form.Field{Key: keyFormat, Label: "Format", Kind: form.Choice, Value: orAuto(f.Image.Format), Options: imageFormats(f.Image.Format), Help: textFormatHelp},
		)
	}
	return append(fields, s.rootField())
}

// rootField returns the field for the root device hints. It suggests the most stable hints for each disk that
// inspection found.
func (s *Screen) rootField() form.Field {
	field := form.Field{Key: keyHints, Label: "Root device", Help: textHintsHelp, Check: func(text string) string {
		if _, err := hints.Decode([]byte(text)); err != nil {
			return models.OnScreen(err)
		}
		return ""
	}}
	if h := s.planned().Hints.Hints; h.IsSet() {
		field.Value = h.String()
	}
	inventory := s.inventory()
	if inventory == nil {
		return field
	}
	for i := range inventory.Disks {
		if h, err := hints.MostStable(inventory.Disks[i], inventory.Disks); err == nil {
			field.Suggestions = append(field.Suggestions, h.String())
		}
	}
	field.Describe = func(text string) string {
		wanted, err := hints.Decode([]byte(text))
		if err != nil {
			return ""
		}
		search := s.diskSearch()
		search.Hints = wanted
		picked, err := search.Pick(inventory.Disks)
		if err != nil {
			return models.OnScreen(err)
		}
		return textPicks + picked
	}
	return field
}

// stepImage holds the plan's fields that the form of an image step changes. It is nil for other steps.
type stepImage struct {
	image plan.Image
	hints hints.Hints
}

// readImage parses the values of the fields that [Screen.imageFields] returned.
func readImage(v map[string]string) (image *stepImage, field, problem string) {
	if _, asked := v[keyHints]; !asked {
		return nil, "", ""
	}
	image = &stepImage{image: plan.Image{
		Source: strings.TrimSpace(v[keyImage]), Checksum: strings.TrimSpace(v[keyChecksum]), Algorithm: notAuto(v[keyAlgorithm]), Format: notAuto(v[keyFormat]),
	}}
	if image.image.Checksum != "" {
		if _, err := image.image.Hash(); err != nil {
			return nil, keyChecksum, models.OnScreen(err)
		}
	}
	if text := strings.TrimSpace(v[keyHints]); text != "" {
		var err error
		if image.hints, err = hints.Decode([]byte(text)); err != nil {
			return nil, keyHints, models.OnScreen(err)
		}
	}
	return image, "", ""
}

// writeToPlan stores the image in the plan for all nodes, and the hints for the current node only, because disks
// differ.
func (i *stepImage) writeToPlan(s *Screen) tea.Cmd {
	if i == nil {
		return nil
	}
	cmd := s.change(plan.PartRamdisk, func(f *plan.Fields) { f.Image = i.image })
	s.refill() // the Ramdisk page shows the image, too
	if i.hints.String() != s.planned().Hints.Hints.String() {
		cmd = tea.Batch(cmd, s.setHints(i.hints))
	}
	return cmd
}
