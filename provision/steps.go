package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ironworks/atomicfile"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/steps"
	"ironworks/printable"
)

// ParseSteps reads steps from a JSON list. Each element is an object that contains "interface" and "step". It may
// also contain "args", and either "priority" (deploy steps) or "order" (clean and service steps).
func ParseSteps(data []byte) ([]models.Step, error) {
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("steps must be a JSON list such as "+
			`[{"interface":"deploy","step":"install_coreos","args":{},"priority":80}]: %w`, err)
	}
	steps := make([]models.Step, len(raw))
	for i, fields := range raw {
		s, err := parseStep(fields)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		steps[i] = s
	}
	return steps, nil
}

// parseStep parses one step. It rejects unknown fields, which would otherwise be ignored silently.
func parseStep(fields map[string]json.RawMessage) (models.Step, error) {
	var s models.Step
	known := []string{"interface", "step", "args", "priority", "order"}
	for name := range fields {
		if !slices.Contains(known, name) {
			return s, fmt.Errorf("unknown field %q; available: %s", printable.Line(name), strings.Join(known, ", "))
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	if p, given := fields["priority"]; given && string(p) != "null" && (s.Priority == nil || *s.Priority < 0) {
		return s, fmt.Errorf("the priority %s is not a number", printable.Line(string(p)))
	}
	return s, checkStep(s)
}

// ParseStep reads the short form of a step: INTERFACE.STEP, followed by @PRIORITY for a deploy step. A missing priority
// is left unset; see [plan.WithPriorities].
func ParseStep(text string) (models.Step, error) {
	name, prio, hasPrio := strings.Cut(text, "@")
	iface, step, _ := strings.Cut(name, ".")
	s := models.Step{Interface: iface, Step: step}
	if hasPrio {
		n, err := strconv.Atoi(prio)
		if err != nil || strconv.Itoa(n) != prio || n < 0 {
			return s, fmt.Errorf("step %q: the priority %q is not a number", printable.Line(text), printable.Line(prio))
		}
		s.Priority = &n
	}
	return s, checkStep(s)
}

// ParseStepWords reads steps with arguments: INTERFACE.STEP KEY=VALUE …. A value that is not JSON is text.
func ParseStepWords(text string) ([]models.Step, error) {
	words, err := models.SplitSettings(text)
	if err != nil {
		return nil, fmt.Errorf("steps: %w", err)
	}
	var list []models.Step
	for _, word := range words {
		name, value, isArgument := strings.Cut(word, "=")
		if !isArgument {
			s, err := ParseStep(word)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
			continue
		}
		if len(list) == 0 || name == "" {
			return nil, fmt.Errorf("argument %q comes before any step: use INTERFACE.STEP KEY=VALUE", printable.Line(word))
		}
		s := &list[len(list)-1]
		if s.Args == nil {
			s.Args = map[string]any{}
		}
		if _, twice := s.Args[name]; twice {
			return nil, fmt.Errorf("step %s: argument %s is given twice", printable.Line(s.Label()), printable.Line(name))
		}
		if s.Args[name], err = models.TypedValue(value); err != nil {
			return nil, fmt.Errorf("step %s: argument %s: %w", printable.Line(s.Label()), printable.Line(name), err)
		}
	}
	return list, nil
}

func checkStep(s models.Step) error {
	known := []string{"bios", "deploy", "firmware", "management", "network", "power", "raid", "vendor"}
	switch {
	case s.Step == "":
		return fmt.Errorf("no step name in %q: use INTERFACE.STEP, such as deploy.install_coreos", printable.Line(s.Interface))
	case !slices.Contains(known, s.Interface):
		return fmt.Errorf("%s: interface %q has no steps; available: %s",
			printable.Line(s.Label()), printable.Line(s.Interface), strings.Join(known, ", "))
	}
	return nil
}

// Arguments holds the arguments of a provision verb as the operator wrote them.
type Arguments struct {
	// Steps is read by [ParseStepWords]. StepsJSON is read by [ParseSteps]; its steps come first.
	Steps     []string
	StepsJSON []byte
	// ConfigDrive is a JSON object, a URL, or a base64-encoded configdrive.
	ConfigDrive    string
	RescuePassword models.Secret
	Runbook        string
	DisableRamdisk bool
}

// Request converts a verb and its arguments to a provision request.
func Request(verb models.Verb, a Arguments) (models.ProvisionRequest, error) {
	req := models.ProvisionRequest{
		Verb: verb, Runbook: a.Runbook, DisableRamdisk: a.DisableRamdisk, RescuePassword: a.RescuePassword,
	}
	steps, err := a.steps()
	if err != nil {
		return req, err
	}
	switch verb {
	case models.VerbDeploy, models.VerbRebuild:
		req.DeploySteps = plan.WithPriorities(steps)
	case models.VerbClean:
		req.CleanSteps = steps
	case models.VerbService:
		req.ServiceSteps = steps
	default:
	}
	if a.Runbook != "" && len(steps) > 0 {
		return req, errors.New("a runbook and steps cannot be combined")
	}
	req.ConfigDrive, err = parseConfigDrive(a.ConfigDrive)
	return req, err
}

func (a Arguments) steps() ([]models.Step, error) {
	var steps []models.Step
	if len(a.StepsJSON) > 0 {
		var err error
		if steps, err = ParseSteps(a.StepsJSON); err != nil {
			return nil, err
		}
	}
	for _, text := range a.Steps {
		list, err := ParseStepWords(text)
		if err != nil {
			return nil, err
		}
		steps = append(steps, list...)
	}
	return steps, nil
}

// parseConfigDrive decodes a configdrive that is written as a JSON object. It returns any other text as it is,
// because Ironic interprets it as a URL or as base64. If text is empty, it returns nil.
func parseConfigDrive(text string) (any, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, nil //nolint:nilnil // no configdrive is sent
	case !strings.HasPrefix(text, "{"):
		return text, nil
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return nil, fmt.Errorf("configdrive: %w", err)
	}
	return object, nil
}

// OfferedSteps stores the steps that each node's agent offered last, because Ironic drops them after a deployment.
type OfferedSteps struct {
	// Dir is the folder of the files; it is created when necessary.
	Dir string
}

// plainUUID matches strings that consist only of the characters of a UUID and can therefore be file names.
var plainUUID = regexp.MustCompile(`^[0-9a-fA-F-]{1,64}$`)

func (o OfferedSteps) path(uuid string) string { return filepath.Join(o.Dir, uuid+".json") }

// Load returns the steps offered for the node with the given UUID, or nil if they cannot be read.
func (o OfferedSteps) Load(uuid string) *plan.OfferedSteps {
	if !plainUUID.MatchString(uuid) {
		return nil
	}
	data, err := os.ReadFile(o.path(uuid))
	var steps plan.OfferedSteps
	if err != nil || json.Unmarshal(data, &steps) != nil || len(steps.Steps) == 0 {
		return nil
	}
	return &steps
}

// Store atomically stores the steps offered for the node with the given UUID. It ignores an invalid UUID.
func (o OfferedSteps) Store(uuid string, steps *plan.OfferedSteps) error {
	if !plainUUID.MatchString(uuid) {
		return nil
	}
	data, err := json.Marshal(steps)
	if err == nil {
		err = os.MkdirAll(o.Dir, 0o700)
	}
	if err == nil {
		err = atomicfile.Replace(o.path(uuid), data)
	}
	if err != nil {
		return fmt.Errorf("record the agent's steps: %w", err)
	}
	return nil
}

// StepsOf returns the steps that the node's interfaces offer, and the additional steps that its ramdisk offers.
// offered holds the ramdisk's steps as recorded earlier, or nil; the node's own data takes precedence.
func StepsOf(n *models.Node, offered *plan.OfferedSteps) []steps.Known {
	list := steps.InterfacesOf(n).Offers()
	if now := offeredSteps(n); now != nil {
		offered = now
	}
	if offered == nil {
		return list
	}
	for _, o := range offered.Steps {
		if len(steps.Named(o.Interface, o.Step)) > 0 {
			continue
		}
		k := steps.Known{
			Interface: o.Interface, Name: o.Step, Drivers: []string{steps.Agent}, Kinds: []models.StepKind{models.DeploySteps},
			Description: "from the ramdisk's hardware manager",
		}
		for _, name := range slices.Sorted(maps.Keys(o.Args)) {
			k.Args = append(k.Args, steps.Argument{Name: name, Required: o.Args[name].Required, Description: o.Args[name].Description})
		}
		list = append(list, k)
	}
	return list
}
