package config

import (
	"strconv"
	"strings"
)

// osVariables maps settings to the OS_* variables of OpenStack's clients, older names last.
func osVariables() map[string][]string {
	vars := map[string][]string{
		keyURL:         {"OS_BAREMETAL_ENDPOINT_OVERRIDE", "OS_ENDPOINT_OVERRIDE", "OS_ENDPOINT", "IRONIC_URL"},
		keyAuth:        {"OS_AUTH_TYPE"},
		keyProjectID:   {"OS_PROJECT_ID", "OS_TENANT_ID"},
		keyProjectName: {"OS_PROJECT_NAME", "OS_TENANT_NAME"},
		keyToken:       {"OS_TOKEN", "OS_AUTH_TOKEN"},
		keyRegion:      {"OS_BAREMETAL_REGION_NAME", "OS_REGION_NAME"},
		keyInterface:   {"OS_BAREMETAL_INTERFACE", "OS_INTERFACE", "OS_ENDPOINT_TYPE"},
		keyAPIVersion:  {"OS_BAREMETAL_API_VERSION", "IRONIC_API_VERSION"},
	}
	for _, k := range []string{
		keyAuthURL, keyUsername, keyPassword, keyUserID, keyUserDomainID, keyUserDomainName,
		keyProjectDomainID, keyProjectDomainName, keyDomainID, keyDomainName, keyDefaultDomain,
		keySystemScope, keyTrustID, keyCredentialID, keyCredentialName, keyCredentialSecret,
		keyCACert, keyCert, keyKey, keyInsecure,
	} {
		vars[k] = []string{"OS_" + strings.ToUpper(k)}
	}
	return vars
}

// osName returns the OS_* variable that error messages recommend for the setting with the given key.
func osName(key string) string {
	switch key {
	case keyURL:
		return "OS_ENDPOINT"
	case keyRegion:
		return "OS_REGION_NAME"
	case keyInterface:
		return "OS_INTERFACE"
	}
	if vars, ok := osVariables()[key]; ok {
		return vars[0]
	}
	return "OS_" + strings.ToUpper(key)
}

// osEnvironment returns the context that the OS_* variables define.
func (l *loader) osEnvironment() *candidate {
	c := &candidate{name: "environment", source: "environment", settings: settings{}, names: osName}
	for key, vars := range osVariables() {
		if v, ok := l.variable(vars...); ok {
			c.settings[key] = v
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
