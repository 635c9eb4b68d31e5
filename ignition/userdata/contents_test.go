package userdata_test

import (
	"crypto/dsa" //nolint:staticcheck // to be refused
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"ironworks/ignition/userdata"
)

func checkedStorage(text string) string { return checkedWith(",\n\"storage\":{" + text + "}") }

func checkedFile(text string) string { return checkedStorage(`"files":[{` + text + `}]`) }

func checkedKey(text string) string {
	return `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core","sshAuthorizedKeys":[` + "\n" + asJSON(text) + `]}]}}`
}

func checkedUser(text string) string {
	return `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core",` + "\n" + text + `}]}}`
}

func TestCheckContents(t *testing.T) {
	t.Parallel()
	runCheckCases(t, append([]checkCase{
		{"the same path twice", checkedStorage(`"files":[{"path":"/etc/a"},` + "\n" + `{"path":"/etc/a"}]`), userdata.KindIgnition, false, []string{"duplicate-entry $.storage.files.1 3:1"}},
		{"a relative path", checkedFile(`"path":"etc/a"`), userdata.KindIgnition, false, []string{"bad-path $.storage.files.0.path 2:29"}},
		{"an unknown scheme", checkedFile(`"path":"/etc/a","contents":{"source":"ftp://h/f"}`), userdata.KindIgnition, false, []string{"bad-url $.storage.files.0.contents.source 2:59"}},
		{"a data URL with a space", checkedFile(`"path":"/etc/a","contents":{"source":"data:,a b"}`), userdata.KindIgnition, false, []string{"bad-data-url $.storage.files.0.contents.source 2:59"}},
		{"base64 without padding", checkedFile(`"path":"/etc/a","contents":{"source":"data:;base64,YQ"}`), userdata.KindIgnition, false, []string{"bad-data-url $.storage.files.0.contents.source 2:59"}},
		{"gzip that is none", checkedFile(`"path":"/etc/a","contents":{"source":"data:,a","compression":"gzip"}`), userdata.KindIgnition, false, []string{"not-gzip $.storage.files.0.contents 2:49"}},
		{"a wrong sum", checkedFile(`"path":"/etc/a","contents":{"source":"data:,a","verification":{"hash":"sha256-` + strings.Repeat("0", 64) + `"}}`), userdata.KindIgnition, false, []string{"hash-mismatch $.storage.files.0.contents.verification.hash 2:92"}},
		{"a right sum", checkedFile(`"path":"/etc/a","contents":{"source":"data:,a","verification":{"hash":"sha256-ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}}`), userdata.KindIgnition, true, nil},
		{"a malformed sum", checkedFile(`"path":"/etc/a","contents":{"source":"data:,a","verification":{"hash":"md5-0"}}`), userdata.KindIgnition, false, []string{"bad-hash $.storage.files.0.contents.verification.hash 2:92"}},
		{"mode 644", checkedFile(`"path":"/etc/a","mode":644`), userdata.KindIgnition, false, []string{"decimal-mode $.storage.files.0.mode 2:45"}},
		{"mode 755 of a directory", checkedStorage(`"directories":[{"path":"/etc/a","mode":755}]`), userdata.KindIgnition, false, []string{"decimal-mode $.storage.directories.0.mode 2:51"}},
		{"modes that are meant", checkedStorage(`"files":[{"path":"/etc/a","mode":420},{"path":"/etc/b","mode":384},{"path":"/etc/c","mode":493},{"path":"/etc/d","mode":256},{"path":"/etc/e","mode":0},{"path":"/etc/f","mode":288},{"path":"/etc/g","mode":448}]`), userdata.KindIgnition, true, nil},
		{"mode 600", checkedFile(`"path":"/etc/a","mode":600`), userdata.KindIgnition, false, []string{"decimal-mode $.storage.files.0.mode 2:45"}},
		{"no mode at all", checkedFile(`"path":"/etc/a","mode":9999`), userdata.KindIgnition, false, []string{"bad-mode $.storage.files.0.mode 2:45", "ignition-warning $.storage.files.0.mode 2:45"}},
		{"hostname", checkedFile(`"path":"/etc/hostname","contents":{"source":"data:,a"}`), userdata.KindIgnition, true, []string{"hostname $.storage.files.0 2:21"}},
		{"hostname without source", checkedFile(`"path":"/etc/hostname","contents":{"compression":"gzip"}`), userdata.KindIgnition, false, []string{"hostname $.storage.files.0 2:21", "hostname-source $.storage.files.0.contents 2:56"}},
		{"a link that hides hostname", checkedStorage(`"links":[{"path":"/etc","target":"/x"}]`), userdata.KindIgnition, false, []string{"merged-invalid $ 1:1"}},
		{"http without a hash", checkedFile(`"path":"/etc/a","contents":{"source":"http://h/f"}`), userdata.KindIgnition, true, []string{"unverified-source $.storage.files.0.contents.source 2:59"}},
		{"https without a hash", checkedFile(`"path":"/etc/a","contents":{"source":"https://h/f"}`), userdata.KindIgnition, true, nil},
		{"a child elsewhere", merging("http://h/f"), userdata.KindIgnition, true, []string{"remote-config $.ignition.config.merge.0 1:51", "unverified-source $.ignition.config.merge.0.source 1:61"}},
		{"/usr", checkedFile(`"path":"/usr/bin/a"`), userdata.KindIgnition, false, []string{"read-only-path $.storage.files.0.path 2:29"}},
		{"/usr/local", checkedFile(`"path":"/usr/local/bin/a"`), userdata.KindIgnition, true, nil},
		{"/run", checkedFile(`"path":"/run/a"`), userdata.KindIgnition, true, []string{"volatile-path $.storage.files.0.path 2:29"}},
		{"a connection for all to read", checkedFile(`"path":"/etc/NetworkManager/system-connections/a.nmconnection"`), userdata.KindIgnition, true, []string{"keyfile-mode $.storage.files.0.mode 2:21"}},
		{"a private key", checkedFile(`"path":"/etc/a","contents":{"source":"` + dataURLOf("x\n-----BEGIN RSA PRIVATE KEY-----\nhunter2\n") + `"}`), userdata.KindIgnition, true, []string{"secret $.storage.files.0.contents.source 2:59"}},
		{"a certificate", checkedFile(`"path":"/etc/a","contents":{"source":"` + dataURLOf("-----BEGIN CERTIFICATE-----\nabc\n") + `"}`), userdata.KindIgnition, true, nil},
		{"a password in a unit", checkedWith(`,"systemd":{"units":[{"name":"a.service",` + "\n" + `"contents":"[Service]\nEnvironment=DB_PASSWORD=hunter2\n"}]}`), userdata.KindIgnition, true, []string{"secret $.systemd.units.0.contents 2:12"}},
		{"a password from a file", checkedWith(`,"systemd":{"units":[{"name":"a.service",` + "\n" + `"contents":"[Service]\nEnvironment=PASSWORD=$X TOKEN_FILE=/etc/x\n"}]}`), userdata.KindIgnition, true, nil},
		{"a password in a URL", checkedFile(`"path":"/etc/a","contents":{"source":"https://u:hunter2@h/f"}`), userdata.KindIgnition, true, []string{"secret $.storage.files.0.contents.source 2:59"}},
		{"a header", checkedFile(`"path":"/etc/a","contents":{"source":"https://h/f","httpHeaders":[{"name":"Authorization","value":"hunter2"}]}`), userdata.KindIgnition, true, []string{"secret $.storage.files.0.contents.httpHeaders.0.value 2:120"}},
		{"enabled without [Install]", checkedWith(`,"systemd":{"units":[{"name":"a.service","enabled":true,` + "\n" + `"contents":"[Service]\nExecStart=/a\n"}]}`), userdata.KindIgnition, true, []string{"no-install-section $.systemd.units.0.contents 2:12"}},
		{"a broken unit", checkedWith(`,"systemd":{"units":[{"name":"a.service",` + "\n" + `"contents":"[Service]hunter2\n"}]}`), userdata.KindIgnition, false, []string{"bad-unit $.systemd.units.0.contents 2:12"}},
		{"a unit of no kind", checkedWith(`,"systemd":{"units":[{"name":` + "\n" + `"a"}]}`), userdata.KindIgnition, false, []string{"bad-unit $.systemd.units.0.name 2:1"}},
	}, childCases(t)...))
}

func childCases(t *testing.T) []checkCase {
	t.Helper()
	deep := checkedWith("")
	for range 9 {
		deep = `{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"` + dataURLOf(deep) + `"}]}}}`
	}
	child := checkedFile(`"path":"etc/a"`)
	at := " $.ignition.config.merge.0.source"
	return []checkCase{
		{"a good child", merging(dataURLOf(checkedWith(""))), userdata.KindIgnition, true, nil},
		{"a child with a problem", merging(dataURLOf(child)), userdata.KindIgnition, false, []string{"bad-path" + at + "($.storage.files.0.path) 1:61"}},
		{"a broken child", merging(dataURLOf(`{"ignition":`)), userdata.KindIgnition, false, []string{"syntax" + at + "($.ignition) 1:61"}},
		{"an empty child", merging("data:,"), userdata.KindIgnition, false, []string{"child-empty $.ignition.config.merge.0 1:51"}},
		{"a child that is Butane", merging(dataURLOf("variant: fcos\nversion: 1.5.0\n")), userdata.KindIgnition, false, []string{"child-not-ignition" + at + " 1:61"}},
		{"a child that is gzip, and nothing says so", merging("data:;base64," + inBase64(gzipped(t, checkedWith("")))), userdata.KindIgnition, false, []string{"child-not-ignition" + at + " 1:61"}},
		{"ten levels", deep, userdata.KindIgnition, false, []string{"too-deep $.ignition.config.merge.0.source" + strings.Repeat("($.ignition.config.merge.0.source)", 7) + "($.ignition.config.merge.0) 1:61"}},
		{"a login in the child", `{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"` + dataURLOf(checkedWith("")) + `"}]}}}`, userdata.KindIgnition, true, nil},
		{"a newer child", strings.Replace(merging(dataURLOf(strings.Replace(checkedWith(""), "3.4.0", "3.5.0", 1))), "3.4.0", "3.1.0", 1), userdata.KindIgnition, true, nil},
		{"an older parent with compression", `{"ignition":{"version":"3.0.0","config":{"merge":[{"source":"data:,","compression":"gzip"}]}}}`, userdata.KindIgnition, false, []string{"not-gzip $.ignition.config.merge.0 1:51", "unknown-key $.ignition.config.merge.0.compression 1:70"}},
		{"replaced", `{"ignition":{"version":"3.4.0","config":{"replace":{"source":"` + dataURLOf(checkedWith("")) + `"}}}}`, userdata.KindIgnition, true, nil},
	}
}

func TestCheckLogins(t *testing.T) {
	t.Parallel()
	private, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // short on purpose
	if err != nil {
		t.Fatal(err)
	}
	short, err := ssh.NewPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	runCheckCases(t, []checkCase{
		{"a key", checkedKey(edKey), userdata.KindIgnition, true, nil},
		{"garbage", checkedKey("ssh-rsa hunter2"), userdata.KindIgnition, false, []string{"ssh-key $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"empty", checkedKey(""), userdata.KindIgnition, false, []string{"ssh-key $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"a comment", checkedKey("# key"), userdata.KindIgnition, false, []string{"ssh-key $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"a private key", checkedKey("-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n"), userdata.KindIgnition, false, []string{"ssh-private-key $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"a short key", checkedKey(string(ssh.MarshalAuthorizedKey(short))), userdata.KindIgnition, false, []string{"ssh-key-weak $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"a DSA key", checkedKey(dsaKey(t)), userdata.KindIgnition, false, []string{"ssh-key-weak $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"options", checkedKey(`command="/bin/true" ` + edKey), userdata.KindIgnition, true, []string{"ssh-key-options $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"two keys in one", checkedKey(edKey + "\n" + edKey), userdata.KindIgnition, true, []string{"ssh-key-lines $.passwd.users.0.sshAuthorizedKeys.0 2:1"}},
		{"a user without a name", `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"sshAuthorizedKeys":["` + edKey + `"]}]}}`, userdata.KindIgnition, false, []string{"no-name $.passwd.users.0 1:52"}},
		{"a user with an empty name", `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"","sshAuthorizedKeys":["` + edKey + `"]}]}}`, userdata.KindIgnition, false, []string{"no-name $.passwd.users.0 1:52"}},
		{"a group without a name", `{"ignition":{"version":"3.4.0"},"passwd":{"groups":[{"gid":500}]}}`, userdata.KindIgnition, false, []string{"no-name $.passwd.groups.0 1:53", "no-login $.passwd.users 0:0"}},
		{"nobody", checkedUser(`"gecos":"x"`), userdata.KindIgnition, true, []string{"no-login $.passwd.users 0:0"}},
		{"a password", checkedUser(`"passwordHash":"$y$j9T$abc$def"`), userdata.KindIgnition, true, []string{"password-hash $.passwd.users.0.passwordHash 2:16"}},
		{"a password that is none", checkedUser(`"passwordHash":"hunter2"`), userdata.KindIgnition, false, []string{"password-not-hashed $.passwd.users.0.passwordHash 2:16"}},
		{"an empty password", checkedUser(`"passwordHash":""`), userdata.KindIgnition, false, []string{"password-not-hashed $.passwd.users.0.passwordHash 2:16"}},
		{"a locked password", checkedUser(`"passwordHash":"*"`), userdata.KindIgnition, true, []string{"no-login $.passwd.users 0:0"}},
		{"no shell", checkedUser(`"shell":"/sbin/nologin","sshAuthorizedKeys":["` + edKey + `"]`), userdata.KindIgnition, true, []string{"no-login $.passwd.users 0:0"}},
		{"removed", checkedUser(`"shouldExist":false,"sshAuthorizedKeys":["` + edKey + `"]`), userdata.KindIgnition, true, []string{"no-login $.passwd.users 0:0"}},
		{"autologin", `{"ignition":{"version":"3.4.0"},"systemd":{"units":[{"name":"getty@tty1.service","dropins":[{"name":"a.conf","contents":"[Service]\nExecStart=/sbin/agetty --autologin core\n"}]}]}}`, userdata.KindIgnition, true, nil},
		{"perhaps elsewhere", `{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"https://h/f"}]}}}`, userdata.KindIgnition, true, []string{"remote-config $.ignition.config.merge.0 1:51", "login-unknown $.passwd.users 0:0"}},
	})
}

func dsaKey(t *testing.T) string {
	t.Helper()
	var private dsa.PrivateKey
	if err := dsa.GenerateParameters(&private.Parameters, rand.Reader, dsa.L1024N160); err != nil {
		t.Fatal(err)
	}
	if err := dsa.GenerateKey(&private, rand.Reader); err != nil {
		t.Fatal(err)
	}
	public, err := ssh.NewPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(ssh.MarshalAuthorizedKey(public))
}

func TestCheckSummary(t *testing.T) {
	t.Parallel()
	r := userdata.Check([]byte(`{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"https://u:hunter2@h/c?sig=hunter2"},
		{"source":"` + dataURLOf(`{"ignition":{"version":"3.5.0"},"passwd":{"users":[{"name":"core","passwordHash":"$6$a$hunter2"}]},"storage":{"files":[{"path":"/etc/b"}]}}`) + `"}]}},
		` + core + `,"kernelArguments":{"shouldExist":["quiet","root_password=hunter2"],"shouldNotExist":["a"]},
		"systemd":{"units":[{"name":"a.service","mask":true},{"name":"b.service","enabled":false,"dropins":[{"name":"c.conf"}]}]},
		"storage":{"files":[{"path":"/etc/a","mode":384,"contents":{"compression":"gzip","source":"data:;base64,` + inBase64(gzipped(t, "hello")) + `"},"append":[{"source":"data:,!!"}]},{"path":"/etc/r","contents":{"source":"https://h/r"}}],
		"directories":[{"path":"/etc/d"}],"links":[{"path":"/etc/l","target":"/t"}],"disks":[{"device":"/dev/sdx","wipeTable":true}]}}`))
	if !r.OK() {
		t.Fatal(brief(r))
	}
	s := r.Summary
	s.Sizes = userdata.SizesSummary{}
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"layers":["ignition"],"spec":"3.5.0","users":[{"name":"core","logins":["ssh-ed25519 SHA256:SnQrCD4/eBluUKKzhLlF/P4oAaY4R/JGxbtMRwvNSkU admin@lab","password at the console"]}],"groups":null,` +
		`"units":[{"name":"a.service","enabled":false,"disabled":false,"masked":true,"has_contents":false,"dropins":[]},{"name":"b.service","enabled":false,"disabled":true,"masked":false,"has_contents":false,"dropins":["c.conf"]}],` +
		`"files":[{"path":"/etc/a","mode":"0600","mode_given":true,"size":7,"overwrite":false},{"path":"/etc/r","mode":"0644","mode_given":false,"size":null,"overwrite":false},{"path":"/etc/b","mode":"0644","mode_given":false,"size":0,"overwrite":false,"in":"$.ignition.config.merge.1.source($)"}],` +
		`"directories":[{"path":"/etc/d","mode":"0755"}],"links":[{"path":"/etc/l","target":"/t","hard":false}],"disks":[{"kind":"disks","name":"/dev/sdx","wipes":true}],` +
		`"kernel_arguments":{"should_exist":["quiet","root_password=…"],"should_not_exist":["a"]},` +
		`"remote":[{"path":"$.storage.files.1.contents","use":"file","source":"https://h/r","verified":false},{"path":"$.ignition.config.merge.0","use":"merge","source":"https://…@h/c?…","verified":false}],` +
		`"sizes":{"raw":0,"ignition":0,"gzip":0,"sent":0,"limits":null}}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	whole, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(whole), fmt.Sprintf("%v %+v %#v", r, r, r), fmt.Sprintf("%+v", r.Summary), fmt.Sprintf("%#v", r.Problems)} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("a secret is printed: %s", text)
		}
	}
	names := []string{}
	for _, limit := range r.Summary.Sizes.Limits {
		if !limit.Fits {
			t.Errorf("%+v", limit)
		}
		names = append(names, limit.Name)
	}
	if len(slices.Compact(names)) != 3 {
		t.Error(names)
	}
}

func TestReportAsJSON(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(userdata.Check([]byte(`#!/bin/sh`)))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"shell-script","ok":false,"problems":[{"severity":"error","id":"shell-script","path":"$","line":0,"column":0,` +
		`"message":"script: CoreOS does not run scripts from user data: put it into a file with mode 0755, and run it from a systemd unit, in Butane or Ignition"}],` +
		`"summary":{"layers":["shell-script"],"spec":"","users":[],"groups":[],"units":[],"files":[],"directories":[],"links":[],"disks":[],` +
		`"kernel_arguments":{"should_exist":[],"should_not_exist":[]},"remote":[],"sizes":{"raw":9,"ignition":0,"gzip":0,"sent":0,"limits":[]}}}`
	if string(raw) != want {
		t.Errorf("got\n%s\nwant\n%s", raw, want)
	}
}
