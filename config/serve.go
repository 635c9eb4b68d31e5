package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"ironworks/models/filter"
	"ironworks/sshserver/access"
)

// Serve holds the settings of `ironworks serve`.
type Serve struct {
	// Listen is the address on which SSH connections are accepted. HostKey is the path of the file that contains the
	// host key.
	Listen, HostKey string
	Access          access.Settings
	// Sessions and PerUser are the maximum numbers of concurrent sessions, in total and per user. Handshakes is the
	// maximum number of concurrent handshakes. Rate is the maximum number of connections per minute. 0 means the
	// default limit.
	Sessions, PerUser, Handshakes, Rate int
	Idle                                time.Duration
	// Record is the folder for recordings of sessions. If it is "", nothing is recorded.
	Record string
}

func (f *ourFile) readServe(n *node, home string) {
	section := sectionOf(n, "serve", map[string]valueType{
		"listen": wantText, "host_key": wantText, "authorized_keys": wantAny, "user_ca": wantAny, "revoked_keys": wantAny,
		"users": wantMapping, "sessions": wantAny, "sessions_per_user": wantAny, "handshakes": wantAny,
		"connections_per_minute": wantAny, "idle": wantDuration, "record": wantText,
	}, home, filepath.Dir(f.path), &f.errs)
	s := &f.console.Serve
	s.Listen, s.HostKey, s.Record = section.text("listen"), section.file("host_key"), section.file("record")
	for _, field := range []struct {
		key string
		to  *[]string
	}{
		{"authorized_keys", &s.Access.AuthorizedKeys}, {"user_ca", &s.Access.UserCA}, {"revoked_keys", &s.Access.RevokedKeys},
	} {
		if n := section.good[field.key]; n != nil {
			names, err := readKeyNames(n, join("serve", field.key))
			if err != nil {
				section.fail(n, field.key, "must be a path or a list of paths, but is "+n.describe(), "")
			}
			for _, name := range names {
				*field.to = append(*field.to, expandPath(name, home, section.dir))
			}
		}
	}
	for _, field := range []struct {
		key string
		to  *int
	}{
		{"sessions", &s.Sessions}, {"sessions_per_user", &s.PerUser}, {"handshakes", &s.Handshakes}, {"connections_per_minute", &s.Rate},
	} {
		if n := section.good[field.key]; n != nil {
			number, err := strconv.Atoi(n.text)
			if *field.to = number; err != nil || number < 1 {
				section.fail(n, field.key, fmt.Sprintf("must be a number ≥ 1, but is %q", n.text), "")
			}
		}
	}
	if n := section.good["idle"]; n != nil {
		idle, err := time.ParseDuration(n.text)
		if s.Idle = idle; err != nil || idle <= 0 {
			section.fail(n, "idle", fmt.Sprintf("%q is not a positive duration", n.text), "use 8h or 30m")
		}
	}
	if n := section.good["users"]; n != nil {
		f.readUsers(n)
	}
}

func (f *ourFile) readUsers(n *node) {
	users := map[string]access.Grant{}
	for _, e := range n.entries {
		before := len(f.errs)
		s := sectionOf(e.value, join("serve.users", e.name), map[string]valueType{"role": wantText, "nodes": wantText},
			"", "", &f.errs)
		g := access.Grant{Role: access.Role(s.text("role")), Nodes: s.text("nodes")}
		if n := s.good["role"]; n != nil {
			if !slices.Contains(access.Roles(), g.Role) {
				s.fail(n, "role", fmt.Sprintf("unknown role %q", n.text), "use viewer, operator or admin")
			}
		} else if len(f.errs) == before {
			f.errs = append(f.errs, e.value.fault(s.path, "has no role", "set role: viewer, operator or admin"))
		}
		if n := s.good["nodes"]; n != nil {
			if _, err := filter.Parse(n.text); err != nil {
				s.fail(n, "nodes", fmt.Sprintf("is not a filter: %v", err), `use a filter such as "owner:teamA"`)
			}
		}
		users[e.name] = g
	}
	f.console.Serve.Access.Users = users
}
