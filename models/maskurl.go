package models

import (
	"net/url"
	"strings"
)

// MaskURL takes a password and the query, which may be a signature, out of an address.
// What is no address stays as it is; one that cannot be read is masked whole.
func MaskURL(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return Mask
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	masked := u.String()
	if u.RawQuery != "" {
		masked, _, _ = strings.Cut(masked, "?")
		masked += "?" + Mask
	}
	return masked
}
