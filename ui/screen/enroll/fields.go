package enroll

import (
	"errors"
	"strings"

	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/widget/form"
)

// The keys of the form's fields; parts of the input use their names, so that errors find their field.
const (
	keySource      = "source"
	keyFile        = string(provision.EnrollFile)
	keyFormat      = "format"
	keyCredentials = string(provision.EnrollCredentials)
	keyBMC         = string(provision.EnrollBMC)
	keyUser        = "username"
	keyPassword    = "password"
	keyInsecure    = "insecure"
	keyNames       = string(provision.EnrollNames)
	keySet         = string(provision.EnrollSet)
	keyUpdate      = "update"
	keyGoal        = "goal"
	keyNoInspect   = "no inspection"
)

const (
	fromFile = "file"
	fromBMCs = "BMCs"
	auto     = "auto"
	on       = "true"
)

const (
	sectionInput = "Input"
	sectionNodes = "Nodes"
	sectionGoal  = "Goal"
)

// fieldsFor returns the fields of the source, with their values.
func fieldsFor(values map[string]string) []form.Field {
	fields := []form.Field{{Key: keySource, Label: "Source", Section: sectionInput, Kind: form.Choice, Options: []string{fromFile, fromBMCs}, Help: textSourceHelp}}
	if values[keySource] == fromBMCs {
		fields = append(fields,
			form.Field{Key: keyBMC, Label: "BMCs", Section: sectionInput, Placeholder: "10.0.0.11-30 …", Help: textBMCHelp, Max: maxText},
			form.Field{Key: keyUser, Label: "User name", Section: sectionInput, Help: textUserHelp},
			form.Field{Key: keyPassword, Label: "Password", Section: sectionInput, Kind: form.Secret, Help: textTypedHelp},
			form.Field{Key: keyInsecure, Label: "Insecure", Section: sectionInput, Kind: form.Toggle, Help: textInsecureHelp},
			form.Field{Key: keyNames, Label: "Names", Section: sectionNodes, Placeholder: "r7-n%02d", Suggestions: []string{"serial", "hostname", "address"}, Help: textNamesHelp},
		)
	} else {
		formats := []string{auto}
		for _, f := range nodefile.Formats() {
			formats = append(formats, string(f))
		}
		fields = append(fields,
			form.Field{Key: keyFile, Label: "File", Section: sectionInput, Placeholder: "rack.csv", Help: textFileHelp, Max: maxText},
			form.Field{Key: keyFormat, Label: "Format", Section: sectionInput, Kind: form.Choice, Options: formats, Help: textFormatHelp},
			form.Field{Key: keyCredentials, Label: "Credentials", Section: sectionInput, Placeholder: "FILE", Help: textLoginFileHelp, Max: maxText},
		)
	}
	goals := make([]string, 0, len(provision.Goals()))
	for _, g := range provision.Goals() {
		goals = append(goals, string(g))
	}
	fields = append(fields,
		form.Field{Key: keySet, Label: "Fields", Section: sectionNodes, Placeholder: "KEY=VALUE …", Secrets: models.SecretSettings, Help: textSetHelp, Max: maxText},
		form.Field{Key: keyUpdate, Label: "Update credentials", Section: sectionNodes, Kind: form.Toggle, Help: textUpdateHelp},
		form.Field{Key: keyGoal, Label: "Goal", Section: sectionGoal, Kind: form.Choice, Options: goals, Help: textGoalHelp},
		form.Field{Key: keyNoInspect, Label: "No inspection", Section: sectionGoal, Kind: form.Toggle, Help: textNoInspectHelp},
	)
	for i := range fields {
		fields[i].Value = values[fields[i].Key]
	}
	return fields
}

// maxText is the length limit of long texts, in characters.
const maxText = 4096

// compares reports whether a field changes the comparison; the others only change what follows it.
func compares(key string) bool { return key != keyGoal && key != keyNoInspect }

// inputOf returns the input of the form's values, with the login for BMCs, or the first wrong field and its problem.
func inputOf(values map[string]string) (in provision.EnrollInput, login enroll.Login, field, problem string) {
	trimmed := func(key string) string { return strings.TrimSpace(values[key]) }
	in.UpdateCredentials = values[keyUpdate] == on
	var err error
	if in.Set, err = models.SplitSettings(values[keySet]); err != nil {
		return in, login, keySet, models.OnScreen(err)
	}
	if values[keySource] == fromBMCs {
		in.BMCs = strings.Fields(strings.ReplaceAll(values[keyBMC], ",", " "))
		in.Names = enroll.Naming(trimmed(keyNames))
		login = enroll.Login{Username: trimmed(keyUser), Password: models.Secret(values[keyPassword]), Insecure: values[keyInsecure] == on}
		if len(in.BMCs) == 0 {
			return in, login, keyBMC, textNoBMC
		}
	} else {
		if trimmed(keyFile) == "" {
			return in, login, keyFile, textNoFile
		}
		in.Files = []string{trimmed(keyFile)}
		in.Credentials = trimmed(keyCredentials)
		if f := values[keyFormat]; f != auto {
			in.Format = nodefile.Format(f)
		}
	}
	field, problem = problemOf(in.Check())
	return in, login, field, problem
}

// problemOf returns the field of a wrong input and its problem, "" if the error is about no field.
func problemOf(err error) (field, problem string) {
	if wrong, is := errors.AsType[*provision.EnrollInputError](err); is {
		return string(wrong.Field), models.OnScreen(wrong.Err)
	}
	return "", ""
}

func goalOf(values map[string]string) provision.Goal {
	if g := provision.Goal(values[keyGoal]); g != "" {
		return g
	}
	return provision.GoalEnroll
}
