package deploy

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/models/steps"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/stepform"
	"ironworks/ui/widget/form"
)

const fieldPriority = "priority"

// otherStep is the ID of the list item for entering a step as text.
const otherStep = "other"

// askStep asks the operator for a new step or, if instead is not nil, for changes to that step. For a step that the
// node offers, it opens a form with a field for each argument. Other steps are entered as text.
func (s *Screen) askStep(instead *models.Step) tea.Cmd {
	known := s.deploySteps()
	if instead != nil {
		i := slices.IndexFunc(known, func(k steps.Known) bool { return k.Label() == instead.Label() })
		if i < 0 {
			return s.askAnyStep(instead)
		}
		if values, ok := stepform.Values(known[i], instead.Args); ok && (len(known[i].Args) > 0 || takesImage(known[i])) {
			return s.askKnownStep(known[i], instead, values)
		}
		return s.askAnyStep(instead)
	}
	if len(known) == 0 {
		return s.askAnyStep(nil)
	}
	items := []overlay.Item{{ID: otherStep, Title: "another step …", Detail: textOtherStepHelp}}
	for i := range known {
		items = append(items, overlay.Item{ID: known[i].Label(), Title: known[i].Label(), Detail: known[i].Description})
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewPick(textAddStep, items, func(id string) tea.Cmd {
		i := slices.IndexFunc(known, func(k steps.Known) bool { return k.Label() == id })
		return screen.SendLater(s, func() tea.Cmd {
			if i < 0 {
				return s.askAnyStep(nil)
			}
			return s.askKnownStep(known[i], nil, nil)
		})
	})})
}

// askKnownStep asks for the priority and the arguments of a step. If the step replaces an existing one, instead is that
// step and values holds its arguments.
func (s *Screen) askKnownStep(k steps.Known, instead *models.Step, values map[string]string) tea.Cmd {
	title, priority := textAddStep+" "+k.Label(), plan.PriorityInstall
	if instead != nil {
		title, priority = "Change "+k.Label(), stepRow{Step: *instead}.priority()
	}
	fields := []form.Field{{Key: fieldPriority, Label: "Priority", Required: true, Value: strconv.Itoa(priority), Help: textPriorityHelp}}
	for _, field := range append(stepform.Fields(k, s.readNode()), s.imageFields(k)...) {
		if field.Key == fieldPriority {
			return s.askAnyStep(instead)
		}
		if value, given := values[field.Key]; given {
			field.Value = value
		}
		fields = append(fields, field)
	}
	return s.openForm(title, fields, func(v map[string]string) (tea.Cmd, string, string) {
		args, field, err := stepform.Arguments(k, v, s.readNode())
		if err != nil {
			return nil, field, models.OnScreen(err)
		}
		priority, err := strconv.Atoi(strings.TrimSpace(v[fieldPriority]))
		if err != nil || priority < 0 {
			return nil, fieldPriority, textWantPriority
		}
		step := models.Step{Interface: k.Interface, Step: k.Name, Args: maps.Clone(args), Priority: &priority}
		if len(step.Args) == 0 {
			step.Args = nil
		}
		if plan.IsInstallStep(step) && !installs(priority) {
			return nil, fieldPriority, notWhileTheAgent(step, priority)
		}
		image, field, problem := readImage(v)
		if problem != "" {
			return nil, field, problem
		}
		return screen.SendLater(s, func() tea.Cmd { return tea.Batch(image.writeToPlan(s), s.readStep(k, step, instead)) }), "", ""
	})
}

// readStep returns a command that reads the files named in the step's arguments; they become part of the plan.
func (s *Screen) readStep(k steps.Known, step models.Step, instead *models.Step) tea.Cmd {
	return func() tea.Msg {
		args, err := stepform.ReadFiles(k, step.Args)
		return screen.NewLater(s, func() tea.Cmd {
			if err != nil {
				return toast(screen.Failure, models.OnScreen(err))
			}
			step.Args = args
			return s.setStep(step, instead)
		})
	}
}

// setStep adds a step to the plan, in place of *instead if that is not nil, and selects it.
func (s *Screen) setStep(step models.Step, instead *models.Step) tea.Cmd {
	cmd := s.setSteps(s.with(step, instead))
	s.steps.Select(step.Label())
	return cmd
}

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

// imageFields returns the fields for image and root device if step k writes an image. Placeholders show
// the node's values, which remain in effect if the fields stay empty.
func (s *Screen) imageFields(k steps.Known) []form.Field {
	if !takesImage(k) {
		return nil
	}
	f, node := s.fields(), s.planned().Node.InstanceInfo
	ofNode := func(keys ...string) string {
		for _, key := range keys {
			if text := models.MaskURL(models.TextOf(node[key])); text != "" {
				return "of the node: " + text
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
			form.Field{Key: keyAlgorithm, Label: "Algorithm", Kind: form.Choice, Value: cmp.Or(f.Image.Algorithm, auto), Options: []string{auto, "md5", "sha256", "sha512"}, Help: textHashHelp},
			form.Field{Key: keyFormat, Label: "Format", Kind: form.Choice, Value: cmp.Or(f.Image.Format, auto), Options: imageFormats(f.Image.Format), Help: textFormatHelp},
		)
	}
	return append(fields, s.rootField())
}

// rootField returns the field for the hints. It suggests the most stable hints for each known disk.
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
		return "selects " + picked
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

// writeToPlan stores the image for all nodes, and the hints for the current one only, because disks differ.
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
