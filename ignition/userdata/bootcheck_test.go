package userdata_test

import (
	"strings"
	"testing"

	"ironworks/ignition/userdata"
)

// TestFirstBootProblems checks that Check reports configurations that Ignition's validation accepts but that fail on
// the first boot.
func TestFirstBootProblems(t *testing.T) {
	t.Parallel()
	passwd := func(lists string) string {
		return `{"ignition":{"version":"3.4.0"},"passwd":{` + lists + `}}`
	}
	user := func(fields string) string {
		return passwd(`"users":[{"name":"core","sshAuthorizedKeys":["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJQ1jx4iXdXJD7c0HDt4e5y0S2jSEHDtlG+L0E6mPB6f a"]},{` + fields + `}]`)
	}
	group := func(fields string) string { return passwd(`"groups":[{` + fields + `}]`) }
	file := func(path string) string {
		return checkedFile(`"path":"` + path + `","contents":{"source":"data:,x"}`)
	}
	for _, test := range []struct {
		name, config string
		want         string // the ID and the path with which the problem must start; empty if there must be no problem
	}{
		{"a space in a user name", user(`"name":"a b"`), "bad-account $.passwd.users.1.name"},
		{"a colon in a user name", user(`"name":"a:b"`), "bad-account $.passwd.users.1.name"},
		{"33 bytes of user name", user(`"name":"` + strings.Repeat("u", 33) + `"`), "bad-account $.passwd.users.1.name"},
		{"32 bytes of user name", user(`"name":"` + strings.Repeat("u", 32) + `"`), ""},
		{"an unknown group", user(`"name":"bob","groups":["wheel","docker"]`), "no-account $.passwd.users.1.groups.1"},
		{"a known group", user(`"name":"bob","groups":["wheel"]`), ""},
		{"an unknown primary group", user(`"name":"bob","primaryGroup":"staff"`), "no-account $.passwd.users.1.primaryGroup"},
		{"UID 0", user(`"name":"bob","uid":0`), "bad-account $.passwd.users.1.uid"},
		{"a negative UID", user(`"name":"bob","uid":-1`), "bad-account $.passwd.users.1.uid"},
		{"a UID in use", user(`"name":"bob","uid":74`), "bad-account $.passwd.users.1.uid"},
		{"a relative home", user(`"name":"bob","homeDir":"bob"`), "bad-account $.passwd.users.1.homeDir"},
		{"a home that is a file", user(`"name":"bob","homeDir":"/etc/hosts/bob"`), "bad-account $.passwd.users.1.homeDir"},
		{"a colon in the comment", user(`"name":"bob","gecos":"a:b"`), "bad-account $.passwd.users.1.gecos"},
		{"a shell without a path", user(`"name":"bob","shell":"bash"`), "bad-account $.passwd.users.1.shell"},
		{"keys without a home", user(`"name":"bob","noCreateHome":true,"sshAuthorizedKeys":["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJQ1jx4iXdXJD7c0HDt4e5y0S2jSEHDtlG+L0E6mPB6f a"]`), "bad-account $.passwd.users.1.sshAuthorizedKeys"},
		{"a user named as a group", user(`"name":"wheel"`), "bad-account $.passwd.users.1.primaryGroup"},
		{"a group name", group(`"name":"a b"`), "bad-account $.passwd.groups.0.name"},
		{"a GID in use", group(`"name":"g","gid":10`), "bad-account $.passwd.groups.0.gid"},
		{"a file of the image", file("/etc/chrony.conf"), "path-taken $.storage.files.0.contents"},
		{"a file of one image", file("/etc/ssh/sshd_config.d/40-disable-passwords.conf"), "may-not-boot $.storage.files.0.contents"},
		{"a file below a file of the image", file("/etc/hosts/x"), "path-taken $.storage.files.0.path"},
		{"a file below a file", checkedStorage(`"files":[{"path":"/etc/a"},{"path":"/etc/a/b"}]`), "path-taken $.storage.files.1.path"},
		{"a file through a link of the image", checkedStorage(`"files":[{"path":"/home/a"},{"path":"/var/home/a"}]`), "path-taken $.storage.files.1.path"},
		{"a file at /", checkedFile(`"path":"/"`), "path-taken $.storage.files.0.path"},
		{"a top-level directory", file("/data/x"), "read-only-path $.storage.files.0.path"},
		{"256 bytes of file name", file("/etc/" + strings.Repeat("n", 256)), "impossible-path $.storage.files.0.path"},
		{"a directory over a file", checkedStorage(`"directories":[{"path":"/etc/hosts"}]`), "path-taken $.storage.directories.0.path"},
		{"a link over a file", checkedStorage(`"links":[{"path":"/etc/hosts","target":"/x"}]`), "path-taken $.storage.links.0.path"},
		{"a link over a file that is replaced", checkedStorage(`"links":[{"path":"/etc/hosts","target":"/x","overwrite":true}]`), ""},
		{"a hard link to nothing", checkedStorage(`"links":[{"path":"/etc/l","target":"/etc/none","hard":true}]`), "impossible-path $.storage.links.0.target"},
		{"an unknown owner", checkedFile(`"path":"/etc/a","user":{"name":"bob"}`), "no-account $.storage.files.0.user.name"},
		{"a mount through a link", checkedStorage(`"filesystems":[{"device":"/dev/sdb1","path":"/home","format":"xfs"}]`), "impossible-path $"},
		{"a CA that is no PEM", `{"ignition":{"version":"3.4.0","security":{"tls":{"certificateAuthorities":[{"source":"data:,x"}]}}}}`, "bad-ca $.ignition.security.tls.certificateAuthorities.0.source"},
		{"an unknown group, with a part elsewhere", `{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"https://h/c"}]}},"passwd":{"users":[{"name":"bob","groups":["docker"]}]}}`, "may-not-boot $.passwd.users.0.groups.0"},
		{"Butane", "variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: bob\n      groups: [docker]\n", "no-account $.passwd.users.0.groups.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := ""
			for _, p := range userdata.Check([]byte(test.config)).Problems {
				switch p.ID {
				case userdata.IDBadAccount, userdata.IDNoAccount, userdata.IDPathTaken, userdata.IDImpossiblePath, userdata.IDReadOnlyPath, userdata.IDMayNotBoot, userdata.IDBadCA:
					found = string(p.ID) + " " + p.Path
				default:
				}
			}
			if found != test.want {
				t.Errorf("found %q, want %q", found, test.want)
			}
		})
	}
}
