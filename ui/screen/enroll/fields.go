package enroll

import (
	"cmp"
	"errors"
	"strings"

	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// The keys of the form's fields. If a field belongs to a part of the input, its key is the name of that part, so that
// an error in the part can be shown at the field.
const (
	keySource      = "source"
	keyFile        = string(provision.EnrollFile)
	keyFormat      = string(provision.EnrollFormat)
	keyColumns     = string(provision.EnrollColumns)
	keyDriver      = string(provision.EnrollDriver)
	keyCredentials = string(provision.EnrollCredentials)
	keyBMC         = string(provision.EnrollBMC)
	keyUser        = "username"
	keyPassword    = "password"
	keyInsecure    = "insecure"
	keyNames       = string(provision.EnrollNames)
	keySet         = string(provision.EnrollSet)
	keyUpdate      = "update"
	keyRamdisk     = "ramdisk"
	keyISO         = string(provision.EnrollISO)
	keyKernel      = string(provision.EnrollKernel)
	keyInitrd      = "deploy-ramdisk"
	keyParams      = "kernel-params"
	keyGoal        = "goal"
	keyNoInspect   = "no inspection"
)

const (
	fromFile   = "file"
	fromBMCs   = "BMCs"
	auto       = "auto"
	switchedOn = "true"

	ramdiskNone   = "none"
	ramdiskURLs   = "URLs"
	ramdiskServed = "served here"
)

const (
	sectionInput = "Input"
	sectionNodes = "Nodes"
	sectionGoal  = "Goal"
)

// fieldsFor returns the fields that apply to the selected source and ramdisk, filled in with the given values. served
// reports whether the console serves a ramdisk. If withoutFiles is set, for example because the console runs on a
// server, the only source is BMCs.
func fieldsFor(values map[string]string, served, withoutFiles bool) []form.Field {
	source := form.Field{Key: keySource, Label: "Source", Section: sectionInput, Kind: form.Choice, Options: []string{fromFile, fromBMCs}, Help: textSourceHelp}
	if withoutFiles {
		source.Options, source.Help = []string{fromBMCs}, "files: ssh HOST enroll -f - < FILE"
	}
	fields := []form.Field{source}
	if values[keySource] == fromBMCs {
		fields = append(fields,
			form.Field{Key: keyBMC, Label: "BMCs", Section: sectionInput, Placeholder: "10.0.0.11-30 …", Help: textBMCHelp, Max: maxText},
			form.Field{Key: keyUser, Label: "User name", Section: sectionInput, Help: textUserHelp},
			form.Field{Key: keyPassword, Label: "Password", Section: sectionInput, Kind: form.Secret, Help: textTypedHelp},
			form.Field{Key: keyInsecure, Label: "Insecure", Section: sectionInput, Kind: form.Toggle, Help: textInsecureHelp},
			form.Field{Key: keyNames, Label: "Names", Section: sectionNodes, Placeholder: "r7-n%02d", Suggestions: []string{"serial", "hostname", "address"}, Help: textNamesHelp},
		)
	} else {
		formats := append([]string{auto}, models.Texts(nodefile.Formats())...)
		fields = append(fields,
			form.Field{Key: keyFile, Label: "File", Section: sectionInput, Placeholder: "rack.csv", Files: screen.InFolder(""), Help: textFileHelp, Max: maxText},
			form.Field{Key: keyFormat, Label: "Format", Section: sectionInput, Kind: form.Choice, Options: formats, Help: textFormatHelp},
			form.Field{Key: keyColumns, Label: "Columns", Section: sectionInput, Placeholder: "HEADER=FIELD …", Help: textColumnsHelp, Max: maxText},
			form.Field{Key: keyDriver, Label: "Driver", Section: sectionInput, Placeholder: nodefile.DefaultDriver, Suggestions: nodefile.Drivers(), Help: textDriverHelp},
			form.Field{Key: keyCredentials, Label: "Credentials", Section: sectionInput, Placeholder: "FILE", Files: screen.InFolder(""), Help: textLoginFileHelp, Max: maxText},
		)
	}
	fields = append(fields, ramdiskFields(values[keyRamdisk], served)...)
	fields = append(fields,
		form.Field{Key: keySet, Label: "Fields", Section: sectionNodes, Placeholder: "KEY=VALUE …", Secrets: models.SecretSettings, Help: textSetHelp, Max: maxText},
		form.Field{Key: keyUpdate, Label: "Update credentials", Section: sectionNodes, Kind: form.Toggle, Help: textUpdateHelp},
		form.Field{Key: keyGoal, Label: "Goal", Section: sectionGoal, Kind: form.Choice, Options: models.Texts(provision.Goals()), Help: textGoalHelp},
		form.Field{Key: keyNoInspect, Label: "No inspection", Section: sectionGoal, Kind: form.Toggle, Help: textNoInspectHelp},
	)
	for i := range fields {
		fields[i].Value = values[fields[i].Key]
	}
	return fields
}

// ramdiskFields returns the fields for the ramdisk of the given kind.
func ramdiskFields(choice string, served bool) []form.Field {
	options := []string{ramdiskNone, ramdiskURLs}
	if served || choice == ramdiskServed {
		options = append(options, ramdiskServed)
	}
	fields := []form.Field{{Key: keyRamdisk, Label: "Ramdisk", Section: sectionNodes, Kind: form.Choice, Options: options, Help: textRamdiskHelp}}
	if choice != ramdiskURLs {
		return fields
	}
	return append(fields,
		form.Field{Key: keyISO, Label: "ISO", Section: sectionNodes, Placeholder: "URL", Help: textISOHelp, Max: maxText},
		form.Field{Key: keyKernel, Label: "Kernel", Section: sectionNodes, Placeholder: "URL", Help: textKernelHelp, Max: maxText},
		form.Field{Key: keyInitrd, Label: "Initrd", Section: sectionNodes, Placeholder: "URL", Help: textInitrdHelp, Max: maxText},
		form.Field{Key: keyParams, Label: "Kernel args", Section: sectionNodes, Help: textParamsHelp, Max: maxText},
	)
}

// maxText is the maximum length of long field values, in characters.
const maxText = 4096

// compares reports whether a field influences the comparison, and not only what is done after it.
func compares(key string) bool { return key != keyGoal && key != keyNoInspect }

// inputOf returns the input and the BMC login that the form describes, or the first invalid field and its problem.
func inputOf(values map[string]string, served []prepare.Target) (in provision.EnrollSource, login enroll.Login, field, problem string) {
	trimmed := func(key string) string { return strings.TrimSpace(values[key]) }
	typed := provision.EnrollInput{UpdateCredentials: values[keyUpdate] == switchedOn}
	var err error
	if typed.Set, err = models.SplitSettings(values[keySet]); err != nil {
		return in, login, keySet, models.OnScreen(err)
	}
	if values[keySource] == fromBMCs {
		typed.BMCs = strings.Fields(strings.ReplaceAll(values[keyBMC], ",", " "))
		typed.Names = enroll.Naming(trimmed(keyNames))
		login = enroll.Login{Username: trimmed(keyUser), Password: models.Secret(values[keyPassword]), Insecure: values[keyInsecure] == switchedOn}
		if len(typed.BMCs) == 0 {
			return in, login, keyBMC, "Enter at least one BMC address."
		}
	} else {
		if field, problem = fileOf(values, &typed); problem != "" {
			return in, login, field, problem
		}
	}
	if typed.Ramdisk, problem = ramdiskOf(values, served); problem != "" {
		return in, login, keyRamdisk, problem
	}
	in, err = typed.Parse()
	field, problem = problemOf(err)
	return in, login, field, problem
}

// fileOf copies the file and how to read it to in, or returns the invalid field and its problem.
func fileOf(values map[string]string, in *provision.EnrollInput) (field, problem string) {
	trimmed := func(key string) string { return strings.TrimSpace(values[key]) }
	if trimmed(keyFile) == "" {
		return keyFile, "Enter the path of a file."
	}
	in.Files, in.Credentials, in.Driver = []string{trimmed(keyFile)}, trimmed(keyCredentials), trimmed(keyDriver)
	if f := values[keyFormat]; f != auto {
		in.Format = nodefile.Format(f)
	}
	var err error
	if in.Columns, err = models.SplitSettings(values[keyColumns]); err != nil {
		return keyColumns, models.OnScreen(err)
	}
	return "", ""
}

// ramdiskOf returns the ramdisk that the form describes, or the reason why there is none.
func ramdiskOf(values map[string]string, served []prepare.Target) (r provision.EnrollRamdisk, problem string) {
	trimmed := func(key string) string { return strings.TrimSpace(values[key]) }
	switch values[keyRamdisk] {
	case ramdiskURLs:
		r = provision.EnrollRamdisk{ISO: trimmed(keyISO), Kernel: trimmed(keyKernel), Initramfs: trimmed(keyInitrd), KernelParams: trimmed(keyParams)}
		if r == (provision.EnrollRamdisk{}) {
			return r, "Enter the URL of an ISO, or of a kernel and an initrd."
		}
	case ramdiskServed:
		if len(served) != 1 || served[0].Node.UUID != "" {
			return r, "Serve one image for all nodes on the Ignition screen first."
		}
		t := served[0]
		r = provision.EnrollRamdisk{ISO: t.ISO, Kernel: t.Kernel, Initramfs: t.Initrd, KernelParams: t.KernelParams}
	}
	return r, ""
}

// problemOf returns the field that err concerns, and its problem. Both are empty if err does not concern a field.
func problemOf(err error) (field, problem string) {
	if wrong, is := errors.AsType[*provision.EnrollInputError](err); is {
		return string(wrong.Field), models.OnScreen(wrong.Err)
	}
	return "", ""
}

func (s *Screen) goal() provision.Goal {
	return cmp.Or(provision.Goal(s.values[keyGoal]), provision.GoalEnroll)
}

func (s *Screen) withoutInspection() bool { return s.values[keyNoInspect] == switchedOn }
