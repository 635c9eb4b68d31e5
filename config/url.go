package config

import (
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// parseURL parses the URL of an HTTP service. If the URL is invalid, problem is not empty; it never contains
// credentials.
func parseURL(text string) (u *url.URL, problem, hint string) {
	text = strings.TrimSpace(text)
	shown := hideUserinfo(text)
	scheme, _, found := strings.Cut(text, "://")
	if !found {
		return nil, fmt.Sprintf("%q has no scheme", shown), fmt.Sprintf("use http://%s or https://%s", shown, shown)
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return nil, fmt.Sprintf("%q has an unknown scheme, %q", shown, printable.Line(scheme)), "use http:// or https://"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil && hasUserinfo(text), err == nil && u.User == nil && hasUserinfo(text):
		return nil, fmt.Sprintf("%q is not a valid URL", shown), "percent-encode special characters in the password (%40, %2F, …)"
	case err != nil:
		problem = err.Error()
		if i := strings.LastIndex(problem, ": "); i >= 0 {
			problem = problem[i+2:]
		}
		return nil, fmt.Sprintf("%q is not a valid URL: %s", shown, problem), ""
	case u.Hostname() == "":
		return nil, fmt.Sprintf("%q has no host", shown), ""
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return nil, fmt.Sprintf("%q has a query or fragment", shown), "use only scheme, host, port and path"
	}
	return u, "", ""
}

// hasUserinfo reports whether text, which may be an invalid URL, seems to contain credentials.
func hasUserinfo(text string) bool { return hideUserinfo(text) != text }

// hideUserinfo masks everything in text that may be credentials, even if text is an invalid URL.
func hideUserinfo(text string) string {
	at := strings.LastIndex(text, "@")
	if at < 0 {
		return text
	}
	start := 0
	if i := strings.Index(text[:at], "://"); i >= 0 {
		start = i + len("://")
	}
	return text[:start] + models.Mask + text[at:]
}

// hostOf returns the host and port of a URL, as the name to display. It returns "url" if text is not a valid URL.
func hostOf(text string) string {
	u, problem, _ := parseURL(text)
	if problem != "" {
		return "url"
	}
	return u.Host
}

// userinfo reports whether a URL contains a user name, and whether it contains a password.
func userinfo(text string) (user, password bool) {
	u, problem, _ := parseURL(text)
	if problem != "" || u.User == nil {
		return false, false
	}
	_, password = u.User.Password()
	return true, password
}
