package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// foreignNames lists the names that OpenStack's clients use for settings, in order of precedence. Names specific to
// bare metal come first, and older names last. auth contains the names in a cloud's auth mapping (or, in older files,
// next to it), cloud the names at the top level of a cloud, and env the OS_* variables.
var foreignNames = []struct {
	key              string
	auth, cloud, env []string
}{
	{keyAuth, nil, []string{"auth_type", "auth_plugin"}, []string{"OS_AUTH_TYPE"}},
	{keyURL, nil, nil, []string{"OS_BAREMETAL_ENDPOINT_OVERRIDE", "OS_ENDPOINT_OVERRIDE", "OS_ENDPOINT", "IRONIC_URL"}},
	{keyAuthURL, []string{"auth_url"}, nil, []string{"OS_AUTH_URL"}},
	{keyUsername, []string{"username", "user_name"}, nil, []string{"OS_USERNAME"}},
	{keyPassword, []string{"password"}, nil, []string{"OS_PASSWORD"}},
	{keyUserID, []string{"user_id"}, nil, []string{"OS_USER_ID"}},
	{keyUserDomainID, []string{"user_domain_id"}, nil, []string{"OS_USER_DOMAIN_ID"}},
	{keyUserDomainName, []string{"user_domain_name"}, nil, []string{"OS_USER_DOMAIN_NAME"}},
	{keyProjectID, []string{"project_id", "tenant_id"}, nil, []string{"OS_PROJECT_ID", "OS_TENANT_ID"}},
	{keyProjectName, []string{"project_name", "tenant_name"}, nil, []string{"OS_PROJECT_NAME", "OS_TENANT_NAME"}},
	{keyProjectDomainID, []string{"project_domain_id"}, nil, []string{"OS_PROJECT_DOMAIN_ID"}},
	{keyProjectDomainName, []string{"project_domain_name"}, nil, []string{"OS_PROJECT_DOMAIN_NAME"}},
	{keyDomainID, []string{"domain_id"}, nil, []string{"OS_DOMAIN_ID"}},
	{keyDomainName, []string{"domain_name"}, nil, []string{"OS_DOMAIN_NAME"}},
	{keyDefaultDomain, []string{"default_domain"}, nil, []string{"OS_DEFAULT_DOMAIN"}},
	{keySystemScope, []string{"system_scope"}, nil, []string{"OS_SYSTEM_SCOPE"}},
	{keyTrustID, []string{"trust_id"}, nil, []string{"OS_TRUST_ID"}},
	{keyToken, []string{"token", "auth_token"}, nil, []string{"OS_TOKEN", "OS_AUTH_TOKEN"}},
	{keyCredentialID, []string{"application_credential_id"}, nil, []string{"OS_APPLICATION_CREDENTIAL_ID"}},
	{keyCredentialName, []string{"application_credential_name"}, nil, []string{"OS_APPLICATION_CREDENTIAL_NAME"}},
	{keyCredentialSecret, []string{"application_credential_secret"}, nil, []string{"OS_APPLICATION_CREDENTIAL_SECRET"}},
	{keyRegion, nil, nil, []string{"OS_BAREMETAL_REGION_NAME", "OS_REGION_NAME"}},
	{
		keyInterface, nil,
		[]string{"baremetal_interface", "baremetal_endpoint_type", "interface", "endpoint_type"},
		[]string{"OS_BAREMETAL_INTERFACE", "OS_INTERFACE", "OS_ENDPOINT_TYPE"},
	},
	{
		keyAPIVersion, nil,
		[]string{"baremetal_default_microversion", "baremetal_api_version"},
		[]string{"OS_BAREMETAL_API_VERSION", "IRONIC_API_VERSION"},
	},
	{keyTimeout, nil, []string{"api_timeout"}, nil},
	{keyCACert, nil, []string{"cacert"}, []string{"OS_CACERT"}},
	{keyCert, nil, []string{"cert"}, []string{"OS_CERT"}},
	{keyKey, nil, []string{"key"}, []string{"OS_KEY"}},
	{keyInsecure, nil, nil, []string{"OS_INSECURE"}},
}

// cloudName returns the name that the setting with the given key has in clouds.yaml. Error messages use this name.
func cloudName(key string) string {
	switch key {
	case keyURL:
		return "auth.endpoint"
	case keyRegion:
		return "region_name"
	}
	for _, n := range foreignNames {
		switch {
		case n.key != key:
		case len(n.auth) > 0:
			return "auth." + n.auth[0]
		case len(n.cloud) > 0:
			return n.cloud[0]
		}
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
	for _, n := range foreignNames {
		put(n.key, r.first(auth, r.path+".auth", n.auth...))
		if !s.has(n.key) {
			put(n.key, r.first(r.cloud, r.path, slices.Concat(n.auth, n.cloud)...))
		}
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
	r.region = r.first(r.cloud, r.path, "baremetal_region_name", "region_name")
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
