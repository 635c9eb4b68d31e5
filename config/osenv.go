package config

import (
	"strconv"
	"strings"
)

// osName returns the OS_* variable that error messages recommend for the setting with the given key.
func osName(key string) string {
	switch key {
	case keyURL:
		return "OS_ENDPOINT"
	case keyRegion:
		return "OS_REGION_NAME"
	case keyAuth:
		return "OS_AUTH_TYPE"
	case keyAPIVersion:
		return "OS_BAREMETAL_API_VERSION"
	default: // also OS_INTERFACE
		return "OS_" + strings.ToUpper(key)
	}
}

// osEnvironment returns the context that the OS_* variables define.
func (l *loader) osEnvironment() *candidate {
	c := &candidate{Context: Context{Name: "environment", Source: "environment"}, settings: settings{}, names: osName}
	for _, n := range foreignNames {
		if v, ok := l.variable(n.env...); ok {
			c.settings[n.key] = v
		}
	}
	if v, ok := c.settings[keyInsecure]; ok {
		is, known := parseBool(v.text)
		if !known {
			c.errs = append(c.errs, v.at.fault("must be true or false", "", nil))
		}
		v.text = strconv.FormatBool(is)
		c.settings[keyInsecure] = v
	}
	c.settings.expandPaths(l.Home, l.WorkDir)
	return c
}

// variable returns the value of the first variable in names that is not empty. It returns false if all are empty.
func (l *loader) variable(names ...string) (value, bool) {
	for _, name := range names {
		if text := l.Env(name); text != "" {
			return value{text, origin{key: name}}, true
		}
	}
	return value{}, false
}

// overCloud returns the OS_* settings that override the settings of a cloud selected by OS_CLOUD. They include
// OS_PASSWORD only if the cloud has no password.
func overCloud(env, cloud settings) settings {
	if cloud.has(keyPassword) {
		return env.withKeys(keyRegion, keyInterface, keySystemScope)
	}
	return env.withKeys(keyRegion, keyInterface, keySystemScope, keyPassword)
}
