package plugin

import (
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// secretWords lists the words that mark an environment variable of ironworks or an OpenStack client as secret.
var secretWords = []string{"PASSWORD", "SECRET", "TOKEN", "PASSCODE"}

// secret reports whether the environment variable called name may hold a credential for Ironic or a BMC.
func secret(name string) bool {
	return (strings.HasPrefix(name, "OS_") || strings.HasPrefix(name, "IRONWORKS_")) &&
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// selectors lists the environment variables that select the Ironic service to use. They correspond to the flags
// --context, --cloud and --url.
var selectors = []string{"IRONWORKS_CONTEXT", "IRONWORKS_CLOUD", "IRONWORKS_URL"}

// selector returns the environment variable that corresponds to a flag such as --cloud, and reports whether the
// variable is in selectors.
func selector(flag string) (variable string, is bool) {
	variable = "IRONWORKS_" + strings.ToUpper(strings.TrimPrefix(flag, "--"))
	return variable, slices.Contains(selectors, variable)
}

// Environment returns the environment of a program that runs for n. base is the environment of ironworks. The result
// contains the variables in base except credentials, the node's fields, and variables that make ironworks select the
// same context. selecting holds the flags that select the context, each followed by its value.
func Environment(base []string, n *models.Node, selecting []string) []string {
	chosen := map[string]string{}
	for i := 0; i+1 < len(selecting); i += 2 {
		name, found := selector(selecting[i])
		if u, err := url.Parse(selecting[i+1]); found && (name != "IRONWORKS_URL" || err == nil && u.User == nil) {
			chosen[name] = selecting[i+1]
		}
	}
	var env []string
	for _, v := range base {
		name, value, _ := strings.Cut(v, "=")
		selects := slices.Contains(selectors, name)
		if u, err := url.Parse(value); secret(name) || selects && len(chosen) > 0 || strings.HasPrefix(name, "IRONWORKS_NODE_") ||
			name == "IRONWORKS_URL" && (err != nil || u.User != nil) {
			continue
		}
		env = append(env, v)
	}
	for _, name := range selectors {
		if value := chosen[name]; value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, f := range fields {
		env = append(env, Variable(f.name)+"="+f.get(n))
	}
	return env
}
