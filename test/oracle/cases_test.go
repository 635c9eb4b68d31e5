//go:build linux

package oracle

// cases returns hand-picked configurations, all of which pass Ignition's validation.
func cases() []string {
	user := func(fields string) string { return `"passwd": {"users": [{` + fields + `}]}` }
	group := func(fields string) string { return `"passwd": {"groups": [{` + fields + `}]}` }
	files := func(list string) string { return `"storage": {"files": [` + list + `]}` }
	dirs := func(list string) string { return `"storage": {"directories": [` + list + `]}` }
	links := func(list string) string { return `"storage": {"links": [` + list + `]}` }
	units := func(list string) string { return `"systemd": {"units": [` + list + `]}` }
	key := `"sshAuthorizedKeys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGvZ3vVv8v1Zz7b4b4b4b4b4b4b4b4b4b4b4b4b4b4b4 a"]`
	name33, name32 := "a23456789012345678901234567890123", "a2345678901234567890123456789012"
	long := "x"
	for len(long) < 250 {
		long += "xxxxx"
	}
	return []string{
		user(`"name": "core", ` + key), user(`"name": "bob"`), user(`"name": "bob", ` + key), user(`"name": "a b"`), user(`"name": "a:b"`),
		user(`"name": "` + name33 + `"`), user(`"name": "` + name32 + `"`), user(`"name": "-a"`), user(`"name": "a/b"`), user(`"name": "a,b"`),
		user(`"name": "bob", "groups": ["docker"]`), user(`"name": "bob", "groups": ["wheel"]`), user(`"name": "bob", "groups": ["wheel,docker"]`),
		user(`"name": "bob", "groups": ["10"]`), user(`"name": "bob", "groups": [""]`), user(`"name": "bob", "groups": ["wheel", ""]`), user(`"name": "bob", "groups": [""], "primaryGroup": "users"`),
		user(`"name": "bob", "primaryGroup": "nogroup"`), user(`"name": "bob", "primaryGroup": "users"`), user(`"name": "bob", "primaryGroup": "100"`),
		user(`"name": "bob", "primaryGroup": "4321"`), user(`"name": "bob", "primaryGroup": ""`),
		user(`"name": "bob", "uid": 0`), user(`"name": "bob", "uid": -1`), user(`"name": "bob", "uid": 1`), user(`"name": "bob", "uid": 5000000000`),
		user(`"name": "bob", "uid": 4294967295`), user(`"name": "bob", "uid": 4294967294`), user(`"name": "bob", "uid": 1500`), user(`"name": "root", "uid": 0`),
		user(`"name": "bob", "homeDir": "home"`), user(`"name": "bob", "homeDir": "/home/x:y"`), user(`"name": "bob", "homeDir": "/srv/bob"`),
		user(`"name": "bob", "homeDir": "/etc/hosts"`), user(`"name": "bob", "homeDir": "/etc/hosts/bob"`), user(`"name": "bob", "homeDir": "/usr/bob"`),
		user(`"name": "bob", "homeDir": "/bob"`), user(`"name": "bob", "homeDir": "/"`), user(`"name": "bob", "homeDir": ""`), user(`"name": "bob", "homeDir": "/var/a/b/c"`),
		user(`"name": "bob", "homeDir": "/etc/hosts", ` + key), user(`"name": "bob", "homeDir": "/etc", ` + key), user(`"name": "bob", "homeDir": "/home/bob/../x"`),
		user(`"name": "bob", "noCreateHome": true`), user(`"name": "bob", "noCreateHome": true, ` + key), user(`"name": "bob", "homeDir": "/var/tmp", "noCreateHome": true, ` + key),
		user(`"name": "bob", "gecos": "a:b"`), user(`"name": "bob", "gecos": "Bob, the first"`), user(`"name": "bob", "gecos": "a\nb"`), user(`"name": "bob", "gecos": ""`),
		user(`"name": "bob", "shell": "bash"`), user(`"name": "bob", "shell": "/bin/nothing"`), user(`"name": "bob", "shell": "/bin/a:b"`), user(`"name": "bob", "shell": "*"`), user(`"name": "bob", "shell": "/etc"`),
		user(`"name": "bob", "passwordHash": "a:b"`), user(`"name": "bob", "passwordHash": "$6$a$b"`), user(`"name": "bob", "passwordHash": "a\nb"`), user(`"name": "bob", "passwordHash": ""`),
		user(`"name": "bob", "noUserGroup": true`), user(`"name": "bob", "system": true`), user(`"name": "bob", "noLogInit": true`),
		user(`"name": "wheel"`), user(`"name": "wheel", "primaryGroup": "wheel"`), user(`"name": "wheel", "noUserGroup": true`),
		`"passwd": {"groups": [{"name": "bob"}], "users": [{"name": "bob"}]}`, `"passwd": {"groups": [{"name": "bob"}], "users": [{"name": "bob", "primaryGroup": "bob"}]}`,
		`"passwd": {"groups": [{"name": "docker"}], "users": [{"name": "bob", "groups": ["docker"]}]}`,
		`"passwd": {"groups": [{"name": "x", "gid": 1000}], "users": [{"name": "bob"}]}`, `"passwd": {"users": [{"name": "bob", "uid": 1000}, {"name": "eve", "uid": 1000}]}`,
		`"passwd": {"users": [{"name": "bob"}, {"name": "eve", "groups": ["bob"]}]}`, `"passwd": {"users": [{"name": "eve", "groups": ["bob"]}, {"name": "bob"}]}`,
		user(`"name": "chrony"`), user(`"name": "root", ` + key), user(`"name": "root", "homeDir": "/root"`), user(`"name": "root", "homeDir": "/var/x"`), user(`"name": "core", "homeDir": "/var/x"`),
		user(`"name": "mail", ` + key), user(`"name": "games"`), user(`"name": "bin", "shell": "/bin/bash"`), user(`"name": "core", "uid": 1234`), user(`"name": "core", "groups": ["none"]`),
		user(`"name": "core", "shouldExist": false`), user(`"name": "bin", "shouldExist": false`), user(`"name": "ghost", "shouldExist": false`), user(`"name": "ftp", "shouldExist": false`), user(`"name": "root", "shouldExist": false`), user(`"name": "sssd", "shouldExist": false`),
		user(`"name": "12345"`), user(`"name": "."`), user(`"name": "a$"`), user(`"name": "Bob"`), user(`"name": "bób"`), user(`"name": "~x"`), user(`"name": "a\tb"`), user(`"name": "a.b"`), user(`"name": "a\\b"`), user(`"name": "a*b"`),
		group(`"name": "a b"`), group(`"name": "a:b"`), group(`"name": "` + name33 + `"`), group(`"name": "` + name32 + `"`), group(`"name": "g", "gid": 0`), group(`"name": "g", "gid": -5`), group(`"name": "g", "gid": 2000`),
		group(`"name": "g", "gid": 10`), group(`"name": "wheel", "gid": 10`), group(`"name": "wheel", "gid": 11`), group(`"name": "wheel", "gid": 6`), group(`"name": "wheel"`), group(`"name": "wheel", "shouldExist": false`), group(`"name": "bin", "shouldExist": false`), group(`"name": "none", "shouldExist": false`),
		group(`"name": "g", "passwordHash": "a:b"`), group(`"name": "g", "passwordHash": "x\ny"`), group(`"name": "g", "system": true`), group(`"name": "g", "gid": 4294967295`), group(`"name": "1234"`), group(`"name": "-g"`), group(`"name": "g,h"`), group(`"name": "wheel", "passwordHash": "a:b"`),
		files(`{"path": "/etc/a", "contents": {"source": "data:,x"}}`), files(`{"path": "/etc/hosts", "contents": {"source": "data:,x"}}`), files(`{"path": "/etc/hosts", "overwrite": true, "contents": {"source": "data:,x"}}`), files(`{"path": "/etc/hosts"}`), files(`{"path": "/etc/hosts", "append": [{"source": "data:,x"}]}`),
		files(`{"path": "/etc/hosts/x"}`), files(`{"path": "/etc"}`), files(`{"path": "/etc", "overwrite": true, "contents": {"source": "data:,x"}}`), files(`{"path": "/"}`), files(`{"path": "/", "overwrite": true, "contents": {"source": "data:,x"}}`), files(`{"path": "/x"}`), files(`{"path": "/usr/x"}`), files(`{"path": "/usr/local/x"}`), files(`{"path": "/usr/local/bin/x"}`), files(`{"path": "/opt/x"}`), files(`{"path": "/home/core/x"}`),
		files(`{"path": "/root/x"}`), files(`{"path": "/bin/x"}`), files(`{"path": "/tmp/x"}`), files(`{"path": "/mnt/x/y"}`), files(`{"path": "/boot/x"}`), files(`{"path": "/sysroot/x"}`), files(`{"path": "/etc/os-release"}`), files(`{"path": "/etc/os-release", "overwrite": true, "contents": {"source": "data:,x"}}`), files(`{"path": "/etc/resolv.conf", "contents": {"source": "data:,x"}}`), files(`{"path": "/home"}`), files(`{"path": "/var/run/x"}`),
		files(`{"path": "/etc/a"}, {"path": "/etc/a/b"}`), files(`{"path": "/etc/a/b"}, {"path": "/etc/a"}`), files(`{"path": "/etc/a/b"}, {"path": "/etc/a", "overwrite": true, "contents": {"source": "data:,"}}`), files(`{"path": "/home/x"}, {"path": "/var/home/x"}`), files(`{"path": "/usr/local/a"}, {"path": "/var/usrlocal/a"}`),
		files(`{"path": "/etc/` + long + `12345678"}`), files(`{"path": "/etc/` + long + `"}`), files(`{"path": "/etc/` + long + `123456/x"}`), files(`{"path": "/etc/` + long + `1234"}`),
		files(`{"path": "/etc/a", "user": {"name": "bob"}}`), files(`{"path": "/etc/a", "user": {"name": "core"}}`), files(`{"path": "/etc/a", "group": {"name": "none"}}`), files(`{"path": "/etc/a", "group": {"id": 12345}, "user": {"id": 99999}}`), files(`{"path": "/etc/a", "user": {"id": -1}}`), files(`{"path": "/etc/a", "user": {"id": 4294967295}}`),
		files(`{"path": "/etc/.ignition-result.json", "contents": {"source": "data:,x"}}`), files(`{"path": "/etc/.ignition-result.json", "contents": {"source": "data:,%7B%7D"}}`), files(`{"path": "/etc/.ignition-result.json"}`),
		dirs(`{"path": "/etc/d"}`), dirs(`{"path": "/etc/hosts"}`), dirs(`{"path": "/etc/hosts", "overwrite": true}`), dirs(`{"path": "/etc"}`), dirs(`{"path": "/"}`), dirs(`{"path": "/usr"}`), dirs(`{"path": "/usr/d"}`), dirs(`{"path": "/d"}`), dirs(`{"path": "/home"}`), dirs(`{"path": "/opt/a/b"}`), dirs(`{"path": "/etc/ssh", "overwrite": true}`), dirs(`{"path": "/etc", "overwrite": true}`), dirs(`{"path": "/var", "overwrite": true}`), dirs(`{"path": "/etc/.ignition-result.json"}`),
		dirs(`{"path": "/etc/d", "user": {"name": "none"}}`), dirs(`{"path": "/usr/local"}`), dirs(`{"path": "/usr/local/bin"}`), dirs(`{"path": "/usr/local/new"}`),
		`"storage": {"directories": [{"path": "/etc/a"}], "files": [{"path": "/etc/a/b"}]}`, `"storage": {"directories": [{"path": "/etc/a/b"}], "files": [{"path": "/etc/a"}]}`, `"storage": {"directories": [{"path": "/etc/a/b", "overwrite": true}], "files": [{"path": "/etc/a"}]}`,
		links(`{"path": "/etc/l", "target": "/etc/hosts"}`), links(`{"path": "/etc/hosts", "target": "/x"}`), links(`{"path": "/etc/hosts", "target": "/x", "overwrite": true}`), links(`{"path": "/etc/os-release", "target": "../usr/lib/os-release"}`), links(`{"path": "/etc/os-release", "target": "/x"}`), links(`{"path": "/l", "target": "/etc"}`), links(`{"path": "/usr/l", "target": "/etc"}`), links(`{"path": "/etc", "target": "/var"}`),
		links(`{"path": "/etc/l", "target": "/etc/hosts", "hard": true}`), links(`{"path": "/etc/l", "target": "/etc/none", "hard": true}`), links(`{"path": "/etc/l", "target": "/etc/ssh", "hard": true}`), links(`{"path": "/etc/l", "target": "/var/x", "hard": true}`), links(`{"path": "/etc/l", "target": "hosts", "hard": true}`), links(`{"path": "/etc/l", "target": "/etc/m", "hard": true}, {"path": "/etc/m", "target": "/etc/hosts", "hard": true}`), links(`{"path": "/etc/m", "target": "/etc/hosts", "hard": true}, {"path": "/etc/l", "target": "/etc/m", "hard": true}`), links(`{"path": "/etc/hosts", "target": "/etc/hosts", "hard": true}`), links(`{"path": "/etc/shells", "target": "/etc/hosts", "hard": true}`), links(`{"path": "/etc/shells", "target": "/etc/hosts", "hard": true, "overwrite": true}`),
		`"storage": {"files": [{"path": "/var/x"}], "links": [{"path": "/etc/l", "target": "/var/x", "hard": true}]}`, `"storage": {"files": [{"path": "/etc/x/y/z"}], "links": [{"path": "/etc/l", "target": "/etc/x/y/z", "hard": true}]}`, `"storage": {"links": [{"path": "/etc/l", "target": "/etc/x", "user": {"name": "none"}}]}`,
		`"storage": {"links": [{"path": "/etc/l", "target": "/etc/d"}], "directories": [{"path": "/etc/d"}]}`, `"storage": {"files": [{"path": "/etc/x/a"}], "links": [{"path": "/etc/y", "target": "x"}]}`,
		units(`{"name": "a.service", "contents": "[Service]\nExecStart=/bin/true\n"}`), units(`{"name": "` + long + `.service", "contents": "[Service]\n"}`), units(`{"name": "x` + long[:246] + `.service", "contents": "[Service]\n"}`), units(`{"name": "a.service", "mask": true}`), units(`{"name": "a.service", "mask": false}`), units(`{"name": "a.service", "mask": true, "contents": "[Service]\n"}`), units(`{"name": "a.service", "enabled": true}`), units(`{"name": "a.service", "enabled": false}`),
		units(`{"name": "a.service", "dropins": [{"name": "` + long + `.conf", "contents": "[Service]\n"}]}`), units(`{"name": "x` + long[:246] + `.service", "dropins": [{"name": "a.conf", "contents": "[Service]\n"}]}`), units(`{"name": "a.service", "dropins": [{"name": "a.conf", "contents": ""}]}`), units(`{"name": "` + long + `.service", "mask": true}`), units(`{"name": "` + long + `.service", "mask": false}`), units(`{"name": "` + long + `.service", "enabled": true}`), units(`{"name": "a/b.service", "contents": "[Service]\n"}`), units(`{"name": "../x.service", "contents": "[Service]\n"}`),
		`"storage": {"files": [{"path": "/etc/systemd/system/a.service.d"}]}, "systemd": {"units": [{"name": "a.service", "dropins": [{"name": "x.conf", "contents": "[Service]\n"}]}]}`,
		`"storage": {"files": [{"path": "/etc/systemd/system-preset"}]}, "systemd": {"units": [{"name": "a.service", "enabled": true}]}`, `"storage": {"directories": [{"path": "/etc/systemd/system/a.service"}]}, "systemd": {"units": [{"name": "a.service", "mask": true}]}`, `"storage": {"directories": [{"path": "/etc/systemd/system/a.service"}]}, "systemd": {"units": [{"name": "a.service", "mask": false}]}`,
	}
}
