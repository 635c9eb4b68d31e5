package config

import (
	"cmp"
	"strings"

	"ironworks/models"
)

// keystone sets the settings that only Keystone needs.
func (b *builder) keystone() {
	text := b.s.text
	k := models.Keystone{
		UserID: text(keyUserID), UserDomainID: text(keyUserDomainID), UserDomainName: text(keyUserDomainName),
		ProjectID: text(keyProjectID), ProjectName: text(keyProjectName),
		ProjectDomainID: text(keyProjectDomainID), ProjectDomainName: text(keyProjectDomainName),
		DomainID: text(keyDomainID), DomainName: text(keyDomainName), SystemScope: text(keySystemScope),
		Region: text(keyRegion), Interface: b.iface(),
	}
	if v, ok := b.s[keyAuthURL]; ok {
		u, problem, hint := parseURL(v.text)
		switch {
		case problem != "":
			b.fail(keyAuthURL, problem, hint, nil)
		case u.User != nil:
			b.fail(keyAuthURL, "credentials are not allowed in Keystone's URL", "give "+b.names(keyUsername)+" and "+b.names(keyPassword), nil)
		default:
			k.AuthURL = strings.TrimRight(u.String(), "/")
		}
	}
	switch b.conn.Auth {
	case models.AuthToken:
		k.Token = models.Secret(text(keyToken))
	case models.AuthApplicationCredential:
		k.ApplicationCredentialID = text(keyCredentialID)
		k.ApplicationCredentialName = text(keyCredentialName)
		k.ApplicationCredentialSecret = models.Secret(text(keyCredentialSecret))
	case models.AuthNone, models.AuthHTTPBasic, models.AuthPassword:
	}
	b.domains(&k)
	b.scope(&k)
	b.conn.Keystone = k
}

// domains sets the domains of the user and the project.
//
// A domain that is given together with a project is not the scope, but the domain of both the user and the project,
// as in gophercloud. The default is default_domain or, if that is not set, the domain with the ID "default", as for
// the openstack command.
func (b *builder) domains(k *models.Keystone) {
	id := cmp.Or(b.s.text(keyDefaultDomain), "default")
	userless := k.UserDomainID == "" && k.UserDomainName == ""
	if userless {
		k.UserDomainID, k.UserDomainName = k.DomainID, k.DomainName
	}
	if b.conn.Username != "" && k.UserID == "" && k.UserDomainID == "" && k.UserDomainName == "" {
		k.UserDomainID = id
	}
	if k.ProjectID == "" && k.ProjectName == "" {
		return
	}
	if k.ProjectDomainID == "" && k.ProjectDomainName == "" {
		k.ProjectDomainID, k.ProjectDomainName = k.DomainID, k.DomainName
	}
	if k.ProjectID == "" && k.ProjectDomainID == "" && k.ProjectDomainName == "" {
		k.ProjectDomainID = id
	}
	k.DomainID, k.DomainName = "", ""
}

// scope checks that at most one scope is set. An application credential already has a scope, so other scopes are
// ignored. The system scope is an error nevertheless, because an application credential cannot grant it.
func (b *builder) scope(k *models.Keystone) {
	if k.SystemScope != "" && k.SystemScope != "all" {
		b.fail(keySystemScope, "must be all", "omit it for a project or domain", nil)
	}
	if b.conn.Auth == models.AuthApplicationCredential {
		if k.SystemScope != "" {
			b.fail(keySystemScope, "an application credential already has a scope", "omit it", nil)
		}
		k.ProjectID, k.ProjectName, k.ProjectDomainID, k.ProjectDomainName = "", "", "", ""
		k.DomainID, k.DomainName, k.SystemScope = "", "", ""
		return
	}
	if k.SystemScope == "" {
		return
	}
	for _, key := range []string{keyProjectID, keyProjectName, keyDomainID, keyDomainName} {
		if b.s.has(key) {
			b.fail(keySystemScope, "conflicts with "+b.names(key), "keep only one scope", nil)
			return
		}
	}
}

// iface returns the configured interface: public, internal, admin or "". It also accepts the older spellings, such as
// publicURL.
func (b *builder) iface() string {
	written := b.s.text(keyInterface)
	name := strings.TrimSuffix(strings.ToLower(written), "url")
	switch name {
	case "", "public", "internal", "admin":
		return name
	}
	b.fail(keyInterface, "must be public, internal or admin", didYouMean(name, []string{"public", "internal", "admin"}), nil)
	return ""
}
