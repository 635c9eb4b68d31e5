package stepform

import (
	"errors"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"ironworks/provision"
	"ironworks/ui/widget/form"
)

// The keys of the form for firmware.update. All updates share one wait, while Ironic has one for each.
const (
	keyUpdates = "settings"
	keyWait    = "wait"
)

func firmwareFields() []form.Field {
	return []form.Field{
		{Key: keyUpdates, Label: "Updates", Required: true, Placeholder: "COMPONENT=URL …", Help: textFirmwareHelp},
		{Key: keyWait, Label: "Wait", Placeholder: "SECONDS", Help: textFirmwareWaitHelp},
	}
}

func firmwareArguments(v map[string]string) (args map[string]any, field string, err error) {
	wait := 0
	if text := strings.TrimSpace(v[keyWait]); text != "" {
		if wait, err = strconv.Atoi(text); err != nil || wait < 1 {
			return nil, keyWait, errors.New("must be a number of seconds, at least 1")
		}
	}
	if strings.TrimSpace(v[keyUpdates]) == "" {
		return nil, keyUpdates, errors.New("give at least one update")
	}
	var settings []any
	for _, word := range strings.Fields(v[keyUpdates]) {
		u, err := provision.ParseFirmwareUpdate(word)
		if err != nil {
			return nil, keyUpdates, err
		}
		u.WaitSeconds = wait
		settings = append(settings, u.Setting())
	}
	return map[string]any{keyUpdates: settings}, "", nil
}

// firmwareValues formats the updates as COMPONENT=URL, or returns false if they have different waits.
func firmwareValues(args map[string]any) (map[string]string, bool) {
	list, _ := args[keyUpdates].([]any)
	var plain []any
	var common any
	for i, item := range list {
		update, _ := item.(map[string]any)
		wait := update[keyWait]
		if i > 0 && !reflect.DeepEqual(wait, common) { // in JSON, the wait could even be an object
			return nil, false
		}
		common = wait
		update = maps.Clone(update)
		delete(update, keyWait)
		plain = append(plain, update)
	}
	if list != nil {
		args = maps.Clone(args)
		args[keyUpdates] = plain
	}
	values, ok := pairs(args, "component", "url")
	if !ok || common == nil {
		return values, ok
	}
	seconds, isNumber := asInt(common)
	values[keyWait] = strconv.Itoa(seconds)
	return values, isNumber
}

// asInt converts a number from JSON or from a form to an int. It returns false if the number is not an integer.
func asInt(value any) (int, bool) {
	switch n := value.(type) {
	case int:
		return n, true
	case float64:
		return int(n), n == float64(int(n))
	}
	return 0, false
}
