package provision

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ironworks/models"
)

// Arguments holds the arguments of a provision verb as the operator wrote them.
type Arguments struct {
	// Steps lists steps in the short form that [ParseStepWords] reads. StepsJSON is a list in the form that
	// [ParseSteps] reads; its steps come first.
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
		req.DeploySteps = WithPriorities(steps)
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
