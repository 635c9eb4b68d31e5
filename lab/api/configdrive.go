package api

import (
	"strings"

	"ironworks/lab/python"
)

// configdriveSchema is what a configdrive may be made of.
var configdriveSchema = &schema{anyOf: []*schema{
	{
		types: []string{"object"}, closed: true,
		properties: map[string]*schema{
			"meta_data": {types: []string{"object"}}, "network_data": {types: []string{"object"}},
			"user_data":   {types: []string{"object", "array", "string", "null"}},
			"vendor_data": {types: []string{"object"}},
		},
	},
	{types: []string{"string", "null"}},
}}

// base64Alphabet has the spaces and newlines that are common in it.
const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n\r\t "

// checkConfigdrive checks a configdrive and that the target takes one. Whatever
// is wrong is a 400, also what is too new for the version.
func (c *call) checkConfigdrive(target string, configdrive any) error {
	if !python.Truthy(configdrive) {
		return nil
	}
	targets := []string{"active"}
	if c.atLeast(35) {
		targets = append(targets, "rebuild")
	}
	if target != "active" && (target != "rebuild" || len(targets) == 1) {
		return invalid("Adding a config drive is only supported when setting provision state to %s",
			strings.Join(targets, ", "))
	}
	if v := configdriveSchema.validate(configdrive); v != nil {
		return invalid("Invalid configdrive format: %s%s", v.message, v.whereabouts(configdrive))
	}
	object, isObject := configdrive.(map[string]any)
	if !isObject {
		text, _ := configdrive.(string)
		if !strings.Contains(text, "://") &&
			strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(base64Alphabet, r) }) {
			return invalid("Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string")
		}
		return nil
	}
	if !c.atLeast(56) {
		return invalid("Providing a JSON object for configdrive is only supported starting with API version 1.56")
	}
	if _, ok := object["vendor_data"]; ok && !c.atLeast(59) {
		return invalid("Providing vendor_data in configdrive is only supported starting with API version 1.59")
	}
	return nil
}
