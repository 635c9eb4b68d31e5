package firstboot

import (
	"fmt"
	"strings"
)

// badName explains why shadow-utils refuses a user or group name. It returns "" if the name is valid. Fedora and RHEL
// accept letters, digits, dots, dashes, underscores, and a trailing $ (shadow-4.8-goodname.patch). Debian accepts
// almost everything (506_relaxed_usernames).
func (i *Image) badName(name string) string {
	switch {
	case name == "":
		return "empty"
	case len(name) > mostName:
		return fmt.Sprintf("%d bytes, maximum %d", len(name), mostName)
	case i.debian:
		if strings.ContainsAny(name[:1], "-~+") || strings.ContainsAny(name, ":, \t\n\v\f\r") {
			return nameHint
		}
		return ""
	case name == "." || name == "..", strings.Trim(name, "0123456789") == "":
		return nameHint
	}
	for at := range len(name) {
		c := name[at]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.':
		case c == '-' && at > 0, c == '$' && at == len(name)-1 && at > 0:
		default:
			return nameHint
		}
	}
	return ""
}

const nameHint = "use letters, digits, dots, dashes and underscores, with a letter in front"
