package metal3

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"ironworks/document"
	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/plan"
)

// Import holds the nodes and deployments that manifests describe.
type Import struct {
	// Nodes holds a node for each host. They are not normalized yet.
	Nodes []enroll.Node
	// Plan holds the deployments of hosts with an image or a custom deployment. It is nil if there are none.
	Plan *plan.Plan
	// Notes lists the objects that were not read. Each note starts with the object's line.
	Notes []string
}

// object is one manifest of a file.
type object struct {
	kind, namespace, name string
	value                 document.Value
}

func (o object) String() string { return o.kind + " " + key(o.namespace, o.name) }

func key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// secret holds the decoded data of a Secret.
type secret map[string]models.Secret

// first returns the value of the first of the given keys that the Secret contains.
func (s secret) first(keys ...string) (models.Secret, bool) {
	for _, k := range keys {
		if value, has := s[k]; has {
			return value, true
		}
	}
	return "", false
}

// reader reads the manifests of a file.
type reader struct {
	file    string
	hosts   []object
	secrets map[string]secret
	// used contains the companions that belong to a host.
	used map[string]bool
	// companions lists the objects that have the same name as their host: HostFirmwareSettings,
	// HostFirmwareComponents, DataImages and PreprovisioningImages.
	companions []object
	// named holds all Secrets, hosts and companions, by kind, namespace and name.
	named    map[string]document.Value
	problems document.Problems
	result   Import
}

// Read reads manifests: BareMetalHosts with their Secrets and companions. The error is a *document.Error.
func Read(docs []document.Value, file string) (Import, error) {
	r := &reader{file: file, secrets: map[string]secret{}, used: map[string]bool{}, named: map[string]document.Value{}}
	for i := range docs {
		r.collect(docs[i])
	}
	for _, o := range r.hosts {
		r.host(o)
	}
	for _, o := range r.companions {
		if !r.used[o.String()] {
			r.note(o.value.Line, "%s: no BareMetalHost with this name", o)
		}
	}
	if len(r.problems) > 0 {
		return Import{}, &document.Error{File: file, Problems: r.problems}
	}
	return r.result, nil
}

func (r *reader) note(line int, format string, args ...any) {
	r.result.Notes = append(r.result.Notes, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

func text(v document.Value, path ...string) string {
	for _, k := range path {
		v = v.Get(k)
	}
	s, _ := v.Scalar()
	return s
}

// collect stores an object according to its kind. If the object is a List, collect stores each of its items.
func (r *reader) collect(v document.Value) {
	if v.Kind != document.Object {
		r.problems.Add(v.Line, "expected a manifest with apiVersion and kind, not %s", v.Kind)
		return
	}
	o := object{kind: text(v, "kind"), namespace: text(v, "metadata", "namespace"), name: text(v, "metadata", "name"), value: v}
	group, _, _ := strings.Cut(text(v, "apiVersion"), "/")
	if strings.HasSuffix(o.kind, "List") && v.Has("items") {
		for _, item := range v.Get("items").Items {
			r.collect(item)
		}
		return
	}
	switch {
	case o.name == "" && (group == "metal3.io" || o.kind == "Secret"):
		r.problems.Add(v.Line, "%s without metadata.name", o.kind)
	case o.kind == "Secret" && group == "v1":
		r.once(o)
		r.secret(o)
	case o.kind == "BareMetalHost" && group == "metal3.io":
		if version := text(v, "apiVersion"); version != "metal3.io/v1alpha1" {
			r.problems.Add(v.Line, "BareMetalHost %s: apiVersion %s is not supported; use metal3.io/v1alpha1", key(o.namespace, o.name), version)
			return
		}
		r.once(o)
		r.hosts = append(r.hosts, o)
	case group == "metal3.io" && slices.Contains([]string{"HostFirmwareSettings", "HostFirmwareComponents", "DataImage", "PreprovisioningImage"}, o.kind):
		r.once(o)
		r.companions = append(r.companions, o)
	default:
		r.note(v.Line, "%s: not read", o)
	}
}

// secret decodes and stores a Secret.
func (r *reader) secret(o object) {
	s := secret{}
	for _, m := range o.value.Get("data").Members {
		encoded, _ := m.Value.Scalar()
		raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(encoded), ""))
		if err != nil {
			r.problems.Add(m.Line, "%s: data.%s is not base64; use stringData for plain text", o, m.Key)
			continue
		}
		s[m.Key] = models.Secret(raw)
	}
	for _, m := range o.value.Get("stringData").Members {
		value, _ := m.Value.Scalar()
		s[m.Key] = models.Secret(value)
	}
	r.secrets[key(o.namespace, o.name)] = s
}

// once records an object. It reports a problem if another object has the same kind, namespace and name.
func (r *reader) once(o object) {
	if first, twice := r.named[o.String()]; twice {
		r.problems.Add(o.value.Line, "%s is also on line %d", o, first.Line)
	}
	r.named[o.String()] = o.value
}

// companion returns the object of the given kind that has the host's namespace and name. It marks the object as used.
func (r *reader) companion(kind string, host object) (document.Value, bool) {
	host.kind = kind
	value, has := r.named[host.String()]
	r.used[host.String()] = r.used[host.String()] || has
	return value, has
}
