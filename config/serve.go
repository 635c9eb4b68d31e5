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

func serveKeys() map[string]valueType {
	return map[string]valueType{
		"listen": wantText, "host_key": wantText, "authorized_keys": wantAny, "user_ca": wantAny, "revoked_keys": wantAny,
		"users": wantMapping, "sessions": wantAny, "sessions_per_user": wantAny, "handshakes": wantAny, "connections_per_minute": wantAny,
		"idle": wantDuration, "record": wantText,
	}
}

func (f *ourFile) readServe(n *node, home string) {
	good, errs := check(n, "serve", serveKeys())
	f.errs = append(f.errs, errs...)
	s := &f.console.Serve
	path := func(text string) string { return expandPath(text, home, filepath.Dir(f.path)) }
	for key, to := range map[string]*string{"listen": &s.Listen, "host_key": &s.HostKey, "record": &s.Record} {
		if n := good[key]; n != nil {
			if *to = n.text; key != "listen" {
				*to = path(n.text)
			}
		}
	}
	for key, to := range map[string]*[]string{"authorized_keys": &s.Access.AuthorizedKeys, "user_ca": &s.Access.UserCA, "revoked_keys": &s.Access.RevokedKeys} {
		if n := good[key]; n != nil {
			names, err := readKeyNames(n, join("serve", key))
			if err != nil {
				f.errs = append(f.errs, n.fault(join("serve", key), "must be a path or a list of paths, but is "+n.describe(), ""))
			}
			for _, name := range names {
				*to = append(*to, path(name))
			}
		}
	}
	for key, to := range map[string]*int{"sessions": &s.Sessions, "sessions_per_user": &s.PerUser, "handshakes": &s.Handshakes, "connections_per_minute": &s.Rate} {
		if n := good[key]; n != nil {
			number, err := strconv.Atoi(n.text)
			if *to = number; err != nil || number < 1 {
				f.errs = append(f.errs, n.fault(join("serve", key), fmt.Sprintf("must be a number ≥ 1, but is %q", n.text), ""))
			}
		}
	}
	if n := good["idle"]; n != nil {
		idle, err := time.ParseDuration(n.text)
		if s.Idle = idle; err != nil || idle <= 0 {
			f.errs = append(f.errs, n.fault(join("serve", "idle"), fmt.Sprintf("%q is not a positive duration", n.text), "use 8h or 30m"))
		}
	}
	if n := good["users"]; n != nil {
		f.readUsers(n)
	}
}

func (f *ourFile) readUsers(n *node) {
	users := map[string]access.Grant{}
	for _, e := range n.entries {
		key := join("serve.users", e.name)
		good, errs := check(e.value, key, map[string]valueType{"role": wantText, "nodes": wantText})
		f.errs = append(f.errs, errs...)
		var g access.Grant
		if n := good["role"]; n != nil {
			if g.Role = access.Role(n.text); !slices.Contains(access.Roles(), g.Role) {
				f.errs = append(f.errs, n.fault(join(key, "role"), fmt.Sprintf("unknown role %q", n.text), "use viewer, operator or admin"))
			}
		} else if len(errs) == 0 {
			f.errs = append(f.errs, e.value.fault(key, "has no role", "set role: viewer, operator or admin"))
		}
		if n := good["nodes"]; n != nil {
			g.Nodes = n.text
			if _, err := filter.Parse(n.text); err != nil {
				f.errs = append(f.errs, n.fault(join(key, "nodes"), fmt.Sprintf("is not a filter: %v", err), `use a filter such as "owner:teamA"`))
			}
		}
		users[e.name] = g
	}
	f.console.Serve.Access.Users = users
}
