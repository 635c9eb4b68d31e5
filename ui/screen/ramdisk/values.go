package ramdisk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
)

// value returns the value that the field shows for its input.
func (s spec) value() string {
	switch {
	case s.list != nil:
		return s.join(*s.list)
	case s.on != nil:
		return strconv.FormatBool(*s.on)
	}
	return cmp.Or(*s.text, s.empty)
}

// set sets the field's input, which must be empty, to the value of the field.
func (s spec) set(value string) {
	switch {
	case s.list != nil:
		*s.list = s.split(value)
	case s.on != nil:
		*s.on = value == strconv.FormatBool(true)
	case value != s.empty:
		*s.text = value
	}
}

// words returns the flags that pass the field's input to "ironworks ignition build".
func (s spec) words() []string {
	var values, words []string
	switch {
	case s.on != nil && *s.on:
		return []string{s.flag}
	case s.on != nil:
	case s.commas:
		values = []string{strings.Join(*s.list, ",")}
	case s.list != nil:
		values = *s.list
	case *s.text != s.empty:
		values = []string{*s.text}
	}
	for _, value := range values {
		if value != "" {
			words = append(words, s.flag, value)
		}
	}
	return words
}

// valuesOf converts inputs to the values of the form.
func valuesOf(in prepare.Inputs) map[string]string {
	if len(in.IronicURLs) == 0 && in.Host != "" {
		in.IronicURLs = []string{in.Host}
	}
	values := map[string]string{}
	for _, s := range specs("", "", &in) {
		values[s.Key] = s.value()
	}
	return values
}

// inputsOf converts the values of the form to inputs. It uses only the fields that the profile and the agent have;
// the values of other fields stay in the form.
func inputsOf(values map[string]string) prepare.Inputs {
	var in prepare.Inputs
	for _, s := range specs("", "", &in) {
		if s.shown(values) {
			s.set(strings.TrimSpace(values[s.Key]))
		}
	}
	in.Profile = values[keyProfile]
	if profileOf(values) == ignition.ProfileClassic {
		in.Host, in.IronicURLs = strings.TrimSpace(values[keyURL]), nil
	}
	return in
}

// fieldOf returns the key of the form field that the invalid input came from.
func fieldOf(e *ignition.InputError, values map[string]string) string {
	if e.Field == ignition.FieldRegistry {
		if profileOf(values) == ignition.ProfileClassic {
			return keyRegistry
		}
		return keyRegistries
	}
	for _, other := range map[ignition.RamdiskField][]string{
		ignition.FieldProxy:  {keyHTTPProxy, keyHTTPSProxy, keyNoProxy},
		ignition.FieldSSHKey: {keySSHFiles, keySSHKeys},
	}[e.Field] {
		// If several fields set one input, the first field that is not empty is returned.
		if values[other] != "" {
			return other
		}
	}
	return string(e.Field)
}

// splitList splits a list at the commas that are not inside quotes.
func splitList(list string) []string {
	var items []string
	var item strings.Builder
	quoted := false
	add := func() {
		one := strings.TrimSpace(item.String())
		if strings.Contains(one, ",") && len(one) > 1 && one[0] == '"' && one[len(one)-1] == '"' {
			one = one[1 : len(one)-1]
		}
		if one != "" {
			items = append(items, one)
		}
		item.Reset()
	}
	for _, r := range list {
		switch {
		case r == ',' && !quoted:
			add()
			continue
		case r == '"':
			quoted = !quoted
		}
		item.WriteRune(r)
	}
	add()
	return items
}

// joinList is the inverse of splitList: it quotes items that contain a comma.
func joinList(items []string) string {
	texts := slices.Clone(items)
	for i, item := range texts {
		if strings.Contains(item, ",") {
			texts[i] = `"` + item + `"`
		}
	}
	return strings.Join(texts, ", ")
}

// splitKeys splits a list of public keys. It splits only at commas that are followed by a key, because the options
// and comments of a key may also contain commas.
func splitKeys(list string) []string {
	var keys []string
	for _, part := range strings.Split(list, ",") {
		trimmed := strings.TrimSpace(part)
		begins := strings.HasPrefix(trimmed, "ssh-") || strings.HasPrefix(trimmed, "ecdsa-") || strings.HasPrefix(trimmed, "sk-")
		if len(keys) > 0 && !begins {
			keys[len(keys)-1] += "," + part
		} else if trimmed != "" {
			keys = append(keys, trimmed)
		}
	}
	return keys
}
