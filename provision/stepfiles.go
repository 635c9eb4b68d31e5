package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/stepfile"
)

// StepFileAPI is the part of Ironic's API that lists deploy templates and runbooks.
type StepFileAPI interface {
	RawDeployTemplates(ctx context.Context) ([]json.RawMessage, error)
	RawRunbooks(ctx context.Context) ([]json.RawMessage, error)
}

// StepFiles reads all deploy templates or runbooks from Ironic and sorts them by name.
func StepFiles(ctx context.Context, api StepFileAPI, kind stepfile.Kind) ([]stepfile.Item, error) {
	list := api.RawDeployTemplates
	if kind == stepfile.Runbook {
		list = api.RawRunbooks
	}
	raw, err := list(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]stepfile.Item, len(raw))
	for i := range raw {
		if items[i], err = stepfile.Decode(raw[i], kind); err != nil {
			return nil, fmt.Errorf("list %ss: %w", kind.Noun(), err)
		}
	}
	slices.SortFunc(items, func(a, b stepfile.Item) int { return strings.Compare(a.Name, b.Name) })
	return items, nil
}

// ReadStepFiles reads the file of deploy templates or runbooks at path.
func ReadStepFiles(path string, kind stepfile.Kind) ([]stepfile.Item, error) {
	data, err := ReadNodeFile(homePath(path))
	if err != nil {
		return nil, err
	}
	return stepfile.Parse(data, path, kind)
}

// FindStepFiles returns the templates or runbooks with the given names or UUIDs. The error lists all unknown ones.
func FindStepFiles(all []stepfile.Item, kind stepfile.Kind, ids []string) ([]stepfile.Item, error) {
	var found []stepfile.Item
	var problems []error
	for _, id := range ids {
		i := slices.IndexFunc(all, func(item stepfile.Item) bool { return item.Name == id || item.UUID == id })
		switch {
		case i < 0:
			problems = append(problems, fmt.Errorf("no %s has the name or UUID %q", kind.Noun(), id))
		case !slices.ContainsFunc(found, func(item stepfile.Item) bool { return item.UUID == all[i].UUID }):
			found = append(found, all[i])
		}
	}
	return found, errors.Join(problems...)
}

// PlanStepFiles compares the wanted templates or runbooks with Ironic's, which it finds by UUID or name. Masked
// values cannot be compared; they are therefore written only if rewrite is set.
func PlanStepFiles(now, wanted []stepfile.Item, rewrite bool) ([]Declared, error) {
	var list []Declared
	var problems []error
	for i := range wanted {
		want := &wanted[i]
		at := slices.IndexFunc(now, func(item stepfile.Item) bool {
			return want.UUID != "" && item.UUID == want.UUID || want.UUID == "" && item.Name == want.Name
		})
		if other := slices.IndexFunc(now, func(item stepfile.Item) bool { return item.Name == want.Name }); other >= 0 && other != at {
			problems = append(problems, fmt.Errorf("the %s %s already exists with UUID %s, but the file has a different UUID", want.Kind.Noun(), want.Name, now[other].UUID))
			continue
		}
		if at < 0 {
			list = append(list, createStepFile(want))
			continue
		}
		list = append(list, changeStepFile(&now[at], want, rewrite))
	}
	return list, errors.Join(problems...)
}

func createStepFile(want *stepfile.Item) Declared {
	d := Declared{Verb: DeclaredCreate, Noun: want.Kind.Noun(), Label: want.Name, UUID: want.UUID, After: fileOf(want)}
	d.Requests = []request.Request{request.CreateSteps(requestSteps(want, want.Fields.Keys()...))}
	if traits, given := want.Traits(); given && len(traits) > 0 {
		d.Requests = append(d.Requests, request.PutRunbookTraits(want.Name, traits))
	}
	return d
}

func changeStepFile(existing, want *stepfile.Item, rewrite bool) Declared {
	merged := stepfile.Merged(existing, want)
	d := Declared{
		Verb: DeclaredSame, Noun: want.Kind.Noun(), Label: want.Name, UUID: existing.UUID, Before: fileOf(existing), After: fileOf(&merged),
	}
	fields, hidden := stepfile.Different(existing, want)
	if rewrite {
		fields, hidden = append(fields, hidden...), nil
	}
	d.Fields = fields
	if d.Hidden = strings.Join(hidden, ", "); d.Hidden != "" {
		d.Verb, d.Hidden = DeclaredHidden, "masked values of "+d.Hidden
	}
	if len(fields) == 0 {
		return d
	}
	d.Verb = DeclaredChange
	var ops []models.PatchOp
	for _, field := range fields {
		switch field {
		case "name":
			ops = append(ops, models.PatchOp{Op: "replace", Path: "/name", Value: want.Name})
		case "traits":
		default:
			ops = append(ops, models.PatchOp{Op: "add", Path: "/" + field, Value: want.Fields.Get(field)})
		}
	}
	if len(ops) > 0 {
		d.Requests = append(d.Requests, request.PatchSteps(requestSteps(&merged, fields...), ops))
	}
	if slices.Contains(fields, "traits") {
		traits, _ := want.Traits()
		d.Requests = append(d.Requests, request.PutRunbookTraits(existing.UUID, traits))
	}
	return d
}

// DeleteStepFiles returns a plan that deletes the templates or runbooks.
func DeleteStepFiles(list []stepfile.Item) []Declared {
	steps := make([]Declared, len(list))
	for i := range list {
		steps[i] = Declared{
			Verb: DeclaredDelete, Noun: list[i].Kind.Noun(), Label: list[i].Name, UUID: list[i].UUID, Before: fileOf(&list[i]),
			Requests: []request.Request{request.DeleteSteps(requestSteps(&list[i]))},
		}
	}
	return steps
}

func requestSteps(item *stepfile.Item, fields ...string) request.Steps {
	return request.Steps{
		Noun: item.Kind.Noun(), Collection: item.Kind.Collection(), UUID: item.UUID, Name: item.Name, Body: item.Body(), Feature: item.Kind.Feature(fields...),
	}
}

// fileOf returns the object in the format of a file. Secrets in arguments are masked.
func fileOf(item *stepfile.Item) string {
	shown := stepfile.Masked(item)
	text, err := stepfile.YAML([]stepfile.Item{shown})
	if err != nil {
		return err.Error() + "\n"
	}
	return string(text)
}
