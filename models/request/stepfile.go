package request

import (
	"encoding/json"

	"ironworks/models"
	"ironworks/printable"
)

// Steps holds the parts of a deploy template or runbook that are needed to build requests.
type Steps struct {
	// Noun names the kind of object, such as "runbook". Collection is the path element for this kind, such as
	// "runbooks".
	Noun, Collection string
	UUID, Name       string
	// Body is the body of the POST request.
	Body    json.Marshaler
	Feature models.Feature
}

// CreateSteps returns the request that creates a deploy template or a runbook.
func CreateSteps(s Steps) Request {
	return Request{
		Op: "create " + s.Noun + " " + printable.Line(s.Name), Method: post, Path: path(s.Collection), Body: s.Body,
		Feature: s.Feature, Sensitive: true, Commands: createStepsCommands(s),
	}
}

func createStepsCommands(s Steps) []string {
	v, err := plain(s.Body)
	fields, ok := maskedValue("", v).(map[string]any)
	if err != nil || !ok {
		return nil
	}
	words := []string{"deploy", "template", "create", quote(s.Name)}
	if s.Collection == "runbooks" {
		words = []string{"runbook", "create", "--name", quote(s.Name)}
	}
	for _, name := range []string{"uuid", "description", "owner"} {
		if text, has := fields[name].(string); has {
			words = append(words, "--"+name, quote(printable.Line(text)))
		}
	}
	if fields["disable_ramdisk"] == true {
		words = append(words, "--disable-ramdisk")
	}
	if public, has := fields["public"].(bool); has && public {
		words = append(words, "--public", "true")
	}
	if extra, has := fields["extra"].(map[string]any); has {
		words = append(words, createFlags(map[string]any{"extra": extra}, "")...)
	}
	words = append(words, "--steps", quote(printable.Line(jsonOf(fields["steps"]))))
	return []string{baremetal(words...)}
}

// PatchSteps returns the request that changes a deploy template or a runbook.
func PatchSteps(s Steps, ops []models.PatchOp) Request {
	return Request{
		Op: "change " + s.Noun + " " + printable.Line(s.Name), Method: patch, Path: path(s.Collection, s.UUID), Body: ops,
		Feature: s.Feature, Sensitive: true,
	}
}

// PutRunbookTraits returns the request that replaces the traits of a runbook. A runbook can be run only on nodes that
// have one of its traits.
func PutRunbookTraits(ident string, traits any) Request {
	return Request{
		Op: "set the traits of runbook " + printable.Line(ident), Method: put, Path: path("runbooks", ident, "traits"),
		Body: map[string]any{"traits": traits}, Feature: models.FeatureRunbookTraits,
	}
}

// DeleteSteps returns the request that deletes a deploy template or a runbook.
func DeleteSteps(s Steps) Request {
	noun := s.Noun
	return Request{
		Op: "delete " + noun + " " + printable.Line(s.Name), Method: remove, Path: path(s.Collection, s.UUID), Feature: s.Feature,
		Commands: []string{baremetal(noun, "delete", quote(s.Name))},
	}
}
