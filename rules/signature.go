package rules

import (
	"slices"
)

// signature describes the arguments of an operator or action, according to its class in Ironic.
type signature struct {
	required, optional []string
	// formatted lists the arguments in which templates are expanded. In a loop, templates are expanded in all
	// arguments.
	formatted []string
	// pluginData means that Ironic passes the plugin data to the class as an argument.
	pluginData bool
}

func operators() map[string]signature {
	values := signature{required: []string{"values"}, optional: []string{"force_strings"}, formatted: []string{"values"}}
	value := signature{required: []string{"value"}, formatted: []string{"value"}}
	regex := signature{required: []string{"value", "regex"}, formatted: []string{"value"}}
	return map[string]signature{
		"eq": values, "lt": values, "gt": values,
		"is-empty": value, "is-none": value, "is-true": value, "is-false": value,
		"in-net":  {required: []string{"address", "subnet"}, formatted: []string{"address", "subnet"}},
		"one-of":  {required: []string{"value"}, optional: []string{"values"}, formatted: []string{"value"}},
		"matches": regex, "contains": regex,
	}
}

func actions() map[string]signature {
	name := signature{required: []string{"name"}}
	return map[string]signature{
		"fail":               {required: []string{"msg"}},
		"log":                {required: []string{"msg"}, optional: []string{"level"}, formatted: []string{"msg"}},
		"set-attribute":      {required: []string{"path", "value"}, formatted: []string{"value"}},
		"extend-attribute":   {required: []string{"path", "value"}, optional: []string{"unique"}, formatted: []string{"value"}},
		"del-attribute":      {required: []string{"path"}},
		"set-capability":     {required: []string{"name", "value"}, formatted: []string{"value"}},
		"unset-capability":   name,
		"add-trait":          name,
		"remove-trait":       name,
		"set-plugin-data":    {required: []string{"path", "value", "plugin_data"}, formatted: []string{"value"}, pluginData: true},
		"extend-plugin-data": {required: []string{"path", "value", "plugin_data"}, optional: []string{"unique"}, formatted: []string{"value"}, pluginData: true},
		"unset-plugin-data":  {required: []string{"path", "plugin_data"}, pluginData: true},
		"set-port-attribute": {required: []string{"port_id", "path", "value"}, formatted: []string{"value"}},
		"extend-port-attribute": {
			required: []string{"port_id", "path", "value"}, optional: []string{"unique"}, formatted: []string{"value"},
		},
		"del-port-attribute": {required: []string{"port_id", "path"}},
		"api-call": {
			required: []string{"url"}, optional: []string{"headers", "proxies", "timeout", "retries", "backoff_factor"}, formatted: []string{"url"},
		},
	}
}

// parameters returns the names of the arguments that may occur in a file.
func (s signature) parameters() []string {
	all := append(slices.Clone(s.required), s.optional...)
	return slices.DeleteFunc(all, func(name string) bool { return name == "plugin_data" })
}
