//go:build linux

package oracle

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"ironworks/ignition/firstboot"
)

// generator generates mostly valid configurations from edge values.
type generator struct{ *rand.Rand }

func (g generator) of(values ...any) any { return values[g.IntN(len(values))] }

// object adds a random selection of fields to the given map, and returns the map.
func (g generator) object(always map[string]any, fields map[string]func() any) map[string]any {
	for _, name := range slices.Sorted(maps.Keys(fields)) { // sorted, so that the same seed gives the same object
		if g.IntN(4) == 0 {
			always[name] = fields[name]()
		}
	}
	return always
}

func (g generator) list(most int, make func() any) []any {
	items := []any{}
	for range g.IntN(most + 1) {
		items = append(items, make())
	}
	return items
}

func (g generator) config() []byte {
	config := map[string]any{"ignition": map[string]any{"version": "3.4.0"}}
	switch g.IntN(4) {
	case 0:
		config["passwd"] = g.passwd()
	case 1:
		config["storage"] = g.storage()
	case 2:
		config["systemd"] = map[string]any{"units": g.list(2, g.unit)}
		config["storage"] = g.storage()
	case 3:
		config["passwd"], config["storage"] = g.passwd(), g.storage()
		if g.IntN(4) == 0 {
			config["ignition"].(map[string]any)["security"] = map[string]any{"tls": map[string]any{"certificateAuthorities": []any{g.source()}}}
		}
	}
	text, err := json.Marshal(config)
	if err != nil {
		panic(err)
	}
	return text
}

var long = strings.Repeat("n", 252)

func (g generator) path() any {
	return g.of("/etc/a", "/etc/a", "/etc/a/b", "/etc/a/b/c", "/etc/b", "/etc/hosts", "/etc/hosts/x", "/etc", "/", "/x", "/x/y", "/usr/x", "/usr/local/x", "/usr/local/bin",
		"/opt/x", "/home", "/home/core/x", "/home/bob/f", "/var/home/bob", "/root/x", "/bin/x", "/var/x", "/var/lib/x", "/etc/os-release", "/etc/resolv.conf", "/etc/ssh", "/etc/"+long,
		"/etc/"+long+"long", "/etc/"+long+"long/x", "/mnt/a", "/boot/x", "/etc/systemd/system/a.service.d", "/etc/systemd/system/b.service", "/etc/systemd", "/etc/.ignition-result.json", "/etc/chrony.conf")
}

func (g generator) source() any {
	return map[string]any{"source": g.of("data:,x", "data:,", "data:;base64,eA==", "data:;base64,eA", "data:,a b", "data:,%zz", "data:text/plain,x", "data:x,y", "data:,%7B%7D", "")}
}

func (g generator) number() any {
	return g.of(-1, 0, 1, 10, 100, 999, 1000, 1001, 1500, 60001, 65534, 65535, 4294967294, 4294967295, 4294967296)
}

func (g generator) name() any {
	return g.of("bob", "bob", "eve", "core", "core", "root", "wheel", "docker", "chrony", "mail", "bin", "a b", "a:b", "-a", "1234", "A.b", "x$", "a/b", strings.Repeat("u", 32), strings.Repeat("u", 33), "", "bób", "users", "sssd", "nobody")
}

func (g generator) passwd() any {
	return map[string]any{"users": g.list(3, g.user), "groups": g.list(3, func() any {
		return g.object(map[string]any{"name": g.name()}, map[string]func() any{
			"gid": g.number, "system": g.yes, "shouldExist": g.yes, "passwordHash": func() any { return g.of("*", "a:b", "$6$x$y") },
		})
	})}
}

func (g generator) yes() any { return g.of(true, true, false) }

func (g generator) user() any {
	return g.object(map[string]any{"name": g.name()}, map[string]func() any{
		"uid": g.number, "gecos": func() any { return g.of("Bob", "a:b", "a\nb", "", "ö, x") },
		"homeDir": func() any {
			return g.of("/home/x", "/var/home/bob", "/", "/etc", "/etc/hosts", "/etc/hosts/x", "relative", "/x:y", "/usr/x", "/opt/a/b", "/nowhere", "/root", "/var/lib/bob", "/home/"+long+"long")
		},
		"groups":       func() any { return g.list(2, g.name) },
		"primaryGroup": g.name, "noCreateHome": g.yes, "noUserGroup": g.yes, "system": g.yes, "shouldExist": g.yes, "noLogInit": g.yes,
		"shell":        func() any { return g.of("/bin/bash", "bash", "/x", "", "/a:b", "/etc", "*") },
		"passwordHash": func() any { return g.of("*", "$6$x$y", "a:b", "x\ny", "") },
		"sshAuthorizedKeys": func() any {
			return []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJQ1jx4iXdXJD7c0HDt4e5y0S2jSEHDtlG+L0E6mPB6f a"}
		},
	})
}

func (g generator) owner() any {
	return g.of(map[string]any{"name": g.name()}, map[string]any{"id": g.number()})
}

func (g generator) storage() any {
	return map[string]any{
		"files": g.list(3, func() any {
			return g.object(map[string]any{"path": g.path()}, map[string]func() any{
				"contents": g.source, "overwrite": g.yes, "mode": func() any { return g.of(0, 420, 493, 4095, 4096, -1) }, "user": g.owner, "group": g.owner,
				"append": func() any { return []any{g.source()} },
			})
		}),
		"directories": g.list(2, func() any {
			return g.object(map[string]any{"path": g.path()}, map[string]func() any{"overwrite": g.yes, "mode": func() any { return g.of(0, 448, 493) }, "user": g.owner, "group": g.owner})
		}),
		"links": g.list(2, func() any {
			where := g.path()
			for where == firstboot.ResultPath { // an absolute link there depends on the initramfs
				where = g.path()
			}
			return g.object(map[string]any{"path": where, "target": g.of("/etc/hosts", "../x", "/etc/a", "/var/x", "/nothing", "hosts", "/etc", "../usr/lib/os-release", long+long)},
				map[string]func() any{"overwrite": g.yes, "hard": g.yes, "user": g.owner})
		}),
	}
}

func (g generator) unit() any {
	text := func() any { return g.of("[Service]\nExecStart=/bin/true\n", "", "[Unit]\nDescription=x\n") }
	return g.object(map[string]any{"name": g.of("a.service", "b.service", "c.timer", long+".service", "a"+long[:243]+".service")}, map[string]func() any{
		"contents": text, "enabled": g.yes, "mask": g.yes,
		"dropins": func() any {
			return []any{g.object(map[string]any{"name": g.of("x.conf", long+".conf")}, map[string]func() any{"contents": text})}
		},
	})
}
