package builders

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Digest describes a configuration by digests of its parts.
type Digest struct {
	// Outcome is [Made], or [Failed] if the builder created nothing that Ignition can read.
	Outcome string `json:"outcome"`
	Version string `json:"version,omitempty"`
	// Files and Units are in the same order as in the configuration.
	Files []Part `json:"files,omitempty"`
	Units []Part `json:"units,omitempty"`
	// Users is the digest of the passwd section, and Whole is the digest of the whole configuration. Neither includes
	// the content of the greeting files.
	Users string `json:"users,omitempty"`
	Whole string `json:"whole,omitempty"`
}

// The outcomes of building a configuration.
const (
	Made   = "made"
	Failed = "error"
)

// Part is a file or a unit, with the digest of its content.
type Part struct {
	Name string `json:"name"`
	Sum  string `json:"sum"`
}

// greetings returns the paths of the greeting files, whose content is not compared.
func greetings() []string { return []string{"/etc/issue.d/ipa.issue", "/etc/motd.d/ipa.motd"} }

// DigestOf returns the digest of a configuration. It ignores empty objects and lists, and the order of keys, because
// they mean nothing to Ignition.
func DigestOf(config []byte) Digest {
	var tree map[string]any
	dec := json.NewDecoder(bytes.NewReader(config))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil || dec.More() {
		return Digest{Outcome: Failed}
	}
	meaning(tree)
	d := Digest{Outcome: Made}
	if ignition, ok := tree["ignition"].(map[string]any); ok {
		d.Version = fmt.Sprint(ignition["version"])
	}
	for _, file := range list(tree, "storage", "files") {
		path := fmt.Sprint(file["path"])
		if slices.Contains(greetings(), path) {
			file["contents"] = "a greeting"
		}
		d.Files = append(d.Files, Part{path, sum(file)})
	}
	for _, unit := range list(tree, "systemd", "units") {
		d.Units = append(d.Units, Part{fmt.Sprint(unit["name"]), sum(unit)})
	}
	d.Users, d.Whole = sum(tree["passwd"]), sum(tree)
	return d
}

func list(tree map[string]any, group, name string) []map[string]any {
	inside, _ := tree[group].(map[string]any)
	all, _ := inside[name].([]any)
	var objects []map[string]any
	for _, each := range all {
		if object, ok := each.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// sum returns the first 8 bytes of the SHA-256 sum of a value's JSON, in hexadecimal. They are enough to find
// accidental differences, and keep the file of digests small.
func sum(value any) string {
	raw, err := json.Marshal(value) // Marshal sorts the keys
	if err != nil {
		return err.Error()
	}
	digest := sha256.Sum256(raw)
	return hex.EncodeToString(digest[:8])
}

func meaning(value any) (empty bool) {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for key, child := range v {
			if meaning(child) {
				delete(v, key)
			}
		}
		return len(v) == 0
	case []any:
		for _, child := range v {
			meaning(child)
		}
		return len(v) == 0
	}
	return false
}

// Difference describes the parts in which the digests differ. It returns "" if they are equal.
func Difference(want, got Digest) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if want.Outcome != got.Outcome {
		return fmt.Sprintf("outcome %s, want %s", got.Outcome, want.Outcome)
	}
	if want.Version != got.Version {
		add("version %s, want %s", got.Version, want.Version)
	}
	compareParts("file", want.Files, got.Files, add)
	compareParts("unit", want.Units, got.Units, add)
	if want.Users != got.Users {
		add("the users differ")
	}
	if want.Whole != got.Whole && len(parts) == 0 {
		add("something beside files, units and users differs")
	}
	return strings.Join(parts, "; ")
}

func compareParts(kind string, want, got []Part, add func(string, ...any)) {
	names := func(parts []Part) []string {
		all := make([]string, len(parts))
		for i, part := range parts {
			all[i] = part.Name
		}
		return all
	}
	if !slices.Equal(names(want), names(got)) {
		add("%ss %v, want %v", kind, names(got), names(want))
		return
	}
	for i := range want {
		if want[i].Sum != got[i].Sum {
			add("%s %s differs", kind, want[i].Name)
		}
	}
}
