package agent

import (
	"strings"

	"ironworks/models/hints"
	"ironworks/python"
)

// withHostname adds the file /etc/hostname to the Ignition configuration in userData, with hostname as the content.
// It replaces an existing /etc/hostname. The result is nil, a string, or a value to be encoded as JSON.
func withHostname(userData any, hostname string) (any, error) {
	if hostname == "" {
		return userData, nil
	}
	ignition := userData
	if text, ok := ignition.(string); ok {
		parsed, err := hints.ParsePythonJSON(text)
		if err != nil {
			return nil, err
		}
		ignition = parsed
	} else if !python.Truthy(ignition) {
		ignition = newDict("ignition", newDict("version", "3.0.0"))
	}
	storage, err := setDefault(ignition, "storage", func() any { return newDict() })
	if err != nil {
		return nil, err
	}
	files, err := setDefault(storage, "files", func() any { return list{} })
	if err != nil {
		return nil, err
	}
	entries, ok := files.(list)
	if !ok {
		return nil, noAttribute(files, "append")
	}
	storage.(*dict).Set("files", append(entries, newDict(
		"path", "/etc/hostname",
		"mode", toPythonInt(420),
		"overwrite", true,
		"contents", newDict("source", "data:,"+hints.URLQuote(hostname)),
	)))
	return ignition, nil
}

// setDefault implements Python's dict.setdefault: an existing value stays, even null.
func setDefault(v any, key string, fresh func() any) (any, error) {
	d, ok := v.(*dict)
	if !ok {
		return nil, noAttribute(v, "setdefault")
	}
	if !d.Has(key) {
		d.Set(key, fresh())
	}
	return d.Get(key), nil
}

func noAttribute(v any, name string) error {
	return raise("AttributeError", "'%s' object has no attribute '%s'", hints.PythonTypeName(v), name)
}

// joinKargs implements Python's ','.join. It joins the elements of a list of kernel arguments, or the characters of a
// string. coreos-installer does not support commas, but the real agent joins the arguments in the same way.
func joinKargs(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return strings.Join(strings.Split(v, ""), ","), nil
	case *dict:
		return strings.Join(v.Keys(), ","), nil
	case list:
		words := make([]string, len(v))
		for i, item := range v {
			word, ok := item.(string)
			if !ok {
				return "", raise("TypeError", "sequence item %d: expected str instance, %s found", i, hints.PythonTypeName(item))
			}
			words[i] = word
		}
		return strings.Join(words, ","), nil
	}
	return "", raise("TypeError", "can only join an iterable")
}
