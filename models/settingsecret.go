package models

import (
	"regexp"
	"strings"
)

// secretSetting finds settings whose values are secrets, by their keys' last words, as
// Ironic masks them. A value ends with its quote, or with that of the whole setting, or at a
// blank; one that is being written may have no end yet.
var secretSetting = func() *regexp.Regexp {
	const key = `[\w./-]*(?:password|passwd|secret|token|credential|private_key)[\w/-]*\+?=`
	return regexp.MustCompile(`(?i)'` + key + `([^']*)|"` + key + `([^"]*)|` + key + `("[^"]*"?|'[^']*'?|\S*)`)
}()

// SecretSettings are where in a text of settings, KEY=VALUE with blanks between, values
// stand that are secrets: from and to, in bytes.
func SecretSettings(text string) [][2]int {
	var parts [][2]int
	for _, at := range secretSetting.FindAllStringSubmatchIndex(text, -1) {
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				parts = append(parts, [2]int{at[group], at[group+1]})
			}
		}
	}
	return parts
}

// MaskSettings is a text of settings without the values that are secrets.
func MaskSettings(text string) string {
	var b strings.Builder
	at := 0
	for _, part := range SecretSettings(text) {
		b.WriteString(text[at:part[0]])
		if part[1] > part[0] {
			b.WriteString(Mask)
		}
		at = part[1]
	}
	return b.String() + text[at:]
}
