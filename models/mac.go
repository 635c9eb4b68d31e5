package models

import (
	"regexp"
	"strings"
)

var macAddress = regexp.MustCompile(`^([0-9a-f]{2}[:-]?){5}[0-9a-f]{2}$`)

// ParseMAC returns a MAC address as Ironic writes it: six pairs in lower case with colons.
func ParseMAC(text string) (mac string, valid bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if !macAddress.MatchString(text) {
		return "", false
	}
	digits := strings.NewReplacer(":", "", "-", "").Replace(text)
	pairs := make([]string, 0, len(digits)/2)
	for i := 0; i < len(digits); i += 2 {
		pairs = append(pairs, digits[i:i+2])
	}
	return strings.Join(pairs, ":"), true
}
