package config

import (
	"cmp"
	"fmt"
	"strings"
)

// authKeys maps the settings in a cloud's auth mapping (or, in older files, next to it) to
// their names in clouds.yaml, including older names.
func authKeys() map[string][]string {
	keys := map[string][]string{
		keyUsername:    {"username", "user_name"},
		keyProjectID:   {"project_id", "tenant_id"},
		keyProjectName: {"project_name", "tenant_name"},
		keyToken:       {"token", "auth_token"},
	}
	for _, k := range []string{
		keyPassword, keyAuthURL, keyUserID, keyUserDomainID, keyUserDomainName,
		keyProjectDomainID, keyProjectDomainName, keyDomainID, keyDomainName, keyDefaultDomain,
		keySystemScope, keyTrustID, keyCredentialID, keyCredentialName, keyCredentialSecret,
	} {
		keys[k] = []string{k}
	}
	return keys
}

// cloudKeys maps the settings at the top level of a cloud to their names in clouds.yaml, in order of precedence.
// Names specific to bare metal come first.
func cloudKeys() map[string][]string {
	return map[string][]string{
		keyAuth:       {"auth_type", "auth_plugin"},
		keyInterface:  {"baremetal_interface", "baremetal_endpoint_type", "interface", "endpoint_type"},
		keyAPIVersion: {"baremetal_default_microversion", "baremetal_api_version"},
		keyTimeout:    {"api_timeout"},
		keyCACert:     {"cacert"},
		keyCert:       {"cert"},
		keyKey:        {"key"},
	}
}

func regionKeys() []string { return []string{"baremetal_region_name", "region_name"} }

// cloudName returns the name that the setting with the given key has in clouds.yaml. Error messages use this name.
func cloudName(key string) string {
	switch key {
	case keyURL:
		return "auth.endpoint"
	case keyRegion:
		return "region_name"
	}
	if names, ok := authKeys()[key]; ok {
		return "auth." + names[0]
	}
	if names, ok := cloudKeys()[key]; ok {
		return names[0]
	}
	return key
}

// cloudReader converts a cloud of clouds.yaml to settings.
type cloudReader struct {
	cloud  *node
	path   string
	region *value
	errs   []error
}

func (r *cloudReader) settings() settings {
	s := settings{}
	put := func(key string, v *value) {
		if v != nil && v.text != "" {
			s[key] = *v
		}
	}
	auth := r.cloud.get("auth")
	if auth != nil && auth.kind != kindMapping && auth.kind != kindEmpty {
		r.errs = append(r.errs, auth.fault(r.path+".auth", "must be a mapping, but is "+auth.describe(), ""))
	}
	for key, names := range authKeys() {
		put(key, r.first(auth, r.path+".auth", names...))
		if !s.has(key) {
			put(key, r.first(r.cloud, r.path, names...))
		}
	}
	for key, names := range cloudKeys() {
		put(key, r.first(r.cloud, r.path, names...))
	}
	for _, look := range []func() *value{
		func() *value {
			return r.first(r.cloud, r.path, "baremetal_endpoint_override", "bare_metal_endpoint_override", "baremetal_endpoint")
		},
		func() *value { return r.first(auth, r.path+".auth", "endpoint") },
		func() *value { return r.first(r.cloud, r.path, "endpoint", "endpoint_override") },
	} {
		if !s.has(keyURL) {
			put(keyURL, look())
		}
	}
	put(keyRegion, r.region)
	put(keyInsecure, r.insecure())
	return s
}

// first returns the value of the first key in names that is set to text or a number, or nil if there is none. If the
// value of an interface key is a list, its first element counts, because keystoneauth allows lists there.
func (r *cloudReader) first(n *node, path string, names ...string) *value {
	for _, name := range names {
		v := n.get(name)
		if v != nil && v.kind == kindList && strings.HasSuffix(name, "interface") && len(v.items) > 0 {
			v = v.items[0]
		}
		switch {
		case v == nil || v.kind == kindEmpty:
		case v.kind != kindScalar:
			r.errs = append(r.errs, v.fault(join(path, name), "must be text, but is "+v.describe(), ""))
		case v.text != "":
			val := v.value(join(path, name))
			return &val
		}
	}
	return nil
}

// insecure returns the setting, verify or insecure, that disables the verification of certificates. It returns nil if
// neither does.
func (r *cloudReader) insecure() *value {
	for name, off := range map[string]bool{"verify": false, "insecure": true} {
		v := r.first(r.cloud, r.path, name)
		if v == nil {
			continue
		}
		is, ok := parseBool(v.text)
		if !ok {
			r.errs = append(r.errs, v.at.fault("must be true or false", "", nil))
			continue
		}
		if is == off {
			v.text = "true"
			return v
		}
	}
	return nil
}

// pickRegion selects the region and merges its values over the cloud's values. If asked is not empty, it selects that
// region. Otherwise it selects the cloud's region_name or, if there is none, the first entry in regions.
func (r *cloudReader) pickRegion(asked string) {
	r.region = r.first(r.cloud, r.path, regionKeys()...)
	if asked != "" {
		r.region = &value{text: asked, at: origin{key: keyRegion}}
	}
	regions := r.cloud.get("regions")
	if regions == nil || regions.kind == kindEmpty {
		return
	}
	path := r.path + ".regions"
	if regions.kind != kindList {
		r.errs = append(r.errs, regions.fault(path, "must be a list of regions, but is "+regions.describe(), ""))
		return
	}
	var known []string
	for i, item := range regions.items {
		name := item
		if item.kind == kindMapping {
			name = item.get("name")
		}
		if name == nil || name.kind != kindScalar {
			r.errs = append(r.errs, item.fault(fmt.Sprintf("%s[%d]", path, i), "must be a region's name, or a mapping with name and values", ""))
			continue
		}
		known = append(known, name.text)
		if r.region != nil && r.region.text != name.text {
			continue
		}
		v := name.value(fmt.Sprintf("%s[%d]", path, i))
		r.region = &v
		r.cloud = merge(r.cloud, item.get("values"), mergeDepth)
		return
	}
	if r.region != nil && len(known) > 0 {
		hint := cmp.Or(didYouMean(r.region.text, known), "known: "+strings.Join(known, ", "))
		r.errs = append(r.errs, regions.fault(path, fmt.Sprintf("no region %q", r.region.text), hint))
	}
}
