package userdata_test

import (
	"os"
	"path/filepath"
	"testing"

	"ironworks/ignition/userdata"
)

// TestCheckPlacesInButane checks that problems in the translated configuration are reported at their position in the
// Butane file.
func TestCheckPlacesInButane(t *testing.T) {
	t.Parallel()
	const head = "variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: core\n      ssh_authorized_keys:\n        - "
	const login = head + edKey + "\n"
	runCheckCases(t, []checkCase{
		{"a key", head + "nonsense\n", userdata.KindButane, false, []string{"ssh-key $.passwd.users.0.ssh_authorized_keys.0 7:11"}},
		{"an unknown key", login + "storage:\n  filez: []\n", userdata.KindButane, false, []string{"unknown-key $.storage.filez 9:3"}},
		{"a key in JSON's style", "variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: core\n      sshAuthorizedKeys: []\n", userdata.KindButane, false, []string{"unknown-key $.passwd.users.0.sshAuthorizedKeys 6:7", "no-login $.passwd.users 0:0"}},
		{"a decimal mode", login + "storage:\n  files:\n    - path: /etc/a\n      mode: 644\n", userdata.KindButane, false, []string{"decimal-mode $.storage.files.0.mode 11:13"}},
		{"an octal mode", login + "storage:\n  files:\n    - path: /etc/a\n      mode: 0644\n", userdata.KindButane, true, nil},
		{"a relative path", login + "storage:\n  files:\n    - path: etc/a\n", userdata.KindButane, false, []string{"bad-path $.storage.files.0.path 10:13"}},
		{"the same path twice", login + "storage:\n  files:\n    - path: /etc/a\n    - path: /etc/a\n", userdata.KindButane, false, []string{"duplicate-entry $.storage.files.1 11:7"}},
		{"a secret inline", login + "storage:\n  files:\n    - path: /etc/a\n      mode: 0600\n      contents:\n        inline: |\n          password=hunter2\n", userdata.KindButane, true, []string{"secret $.storage.files.0.contents 13:9"}},
		{"a local file", login + "storage:\n  files:\n    - path: /etc/a\n      contents:\n        local: a\n", userdata.KindButane, false, []string{"butane $.storage.files.0.contents.local 12:16"}},
		{"hostname", login + "storage:\n  files:\n    - path: /etc/hostname\n      contents: {inline: a}\n", userdata.KindButane, true, []string{"hostname $.storage.files.0 10:7"}},
		{"a unit", login + "systemd:\n  units:\n    - name: a.service\n      enabled: true\n      contents: |\n        [Service]\n        ExecStart=/a\n", userdata.KindButane, true, []string{"no-install-section $.systemd.units.0.contents 12:17"}},
		{"a wrong shape", login + "storage: 1\n", userdata.KindButane, false, []string{"yaml $ 8:1"}},
		{"a bad data URL", login + "storage:\n  files:\n    - path: /etc/a\n      contents:\n        source: data:;base64,%\n", userdata.KindButane, false, []string{"bad-data-url $.storage.files.0.contents.source 12:17"}},
		{"broken YAML", login + "storage: [\n", userdata.KindButane, false, []string{"yaml $ 8:1"}},
		{"duplicate key", login + "passwd: {}\n", userdata.KindButane, false, []string{"duplicate-key $.passwd 8:1"}},
		{"two documents", login + "---\nvariant: fcos\n", userdata.KindButane, false, []string{"several-documents $ 8:1"}},
		{"an unknown version", "variant: fcos\nversion: 9.9.9\n", userdata.KindButane, false, []string{"butane $.version 2:10"}},
		{"a version that is none", "variant: fcos\nversion: x\n", userdata.KindButane, false, []string{"butane $.version 2:10"}},
		{"rhcos", "variant: rhcos\nversion: 0.1.0\n", userdata.KindButane, false, []string{"butane $.variant 1:10"}},
		{"experimental", "variant: fcos\nversion: 1.8.0-experimental\n", userdata.KindButane, false, []string{"experimental-spec $ 1:1"}},
		{"a merge key", "variant: fcos\nversion: 1.5.0\n" + "storage:\n  files:\n    - &a\n      path: /etc/a\n      mode: 644\n    - <<: *a\n      path: /etc/b\n", userdata.KindButane, false, []string{"decimal-mode $.storage.files.0.mode 7:13", "decimal-mode $.storage.files.1 8:7", "no-login $.passwd.users 0:0"}},
		{"openshift", "variant: openshift\nversion: 4.16.0\nmetadata:\n  name: a\n  labels:\n    machineconfiguration.openshift.io/role: worker\nopenshift:\n  fips: true\n", userdata.KindButane, true, []string{"butane-warning $.openshift.fips 8:9", "no-login $.passwd.users 0:0"}},
		{"a part", login + "ignition:\n  config:\n    merge:\n      - inline: '{\"ignition\":{\"version\":\"2.0.0\"}}'\n", userdata.KindButane, false, []string{"spec-2 $.ignition.config.merge.0($.ignition.version) 11:9", "butane-warning $.ignition.config.merge.0.version 11:9"}},
	})
}

// TestCheckPlacesWithSugar checks the positions of problems when Butane adds units and files. The list indexes then
// differ from the indexes in the Butane file.
func TestCheckPlacesWithSugar(t *testing.T) {
	t.Parallel()
	r := userdata.Check([]byte("variant: fcos\nversion: 1.5.0\nboot_device:\n  mirror:\n    devices: [/dev/sda, /dev/sdb]\n  layout: x86_64\nstorage:\n  filesystems:\n    - device: /dev/sdc\n      path: /var/x\n      format: xfs\n      with_mount_unit: true\nsystemd:\n  units:\n    - name: z.service\n      enabled: true\n      contents: |\n        [Service]\n        ExecStart=/a\n"))
	want := "no-install-section $.systemd.units.0.contents 17:17"
	if got := brief(r); len(got) == 0 || got[0] != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestCheckPlacesInMachineConfig(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: a}\nspec:\n"
	runCheckCases(t, []checkCase{
		{"its Ignition", head + "  kernelType: realtime\n  fips: false\n  config:\n    ignition: {version: 3.2.0}\n    storage:\n      files:\n        - path: etc/a\n          mode: 0644\n", userdata.KindMachineConfig, false, []string{
			"machine-config $.kind 2:7", "machine-config-fields $.spec.kernelType 5:3", "bad-path $.spec.config.storage.files.0.path 11:17", "no-login $.passwd.users 0:0",
		}},
		{"in JSON", `{"kind":"MachineConfig","spec":{"config":{"ignition":{"version":"3.2.0"},` + core + `}}}`, userdata.KindMachineConfig, true, []string{"machine-config $.kind 1:9"}},
		{"without", head + "  kernelType: realtime\n", userdata.KindMachineConfig, false, []string{"not-ignition $.spec 5:3"}},
	})
}

func TestFilesDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	const butane = "variant: fcos\nversion: 1.5.0\nstorage:\n  files:\n    - path: /etc/a\n      contents:\n        local: "
	r := userdata.Check([]byte(butane+"a\n"), userdata.FilesDir(dir))
	if !r.OK() || len(r.Summary.Files) != 1 || *r.Summary.Files[0].Size != 5 {
		t.Errorf("%v %+v", r.Problems, r.Summary.Files)
	}
	if r := userdata.Check([]byte(butane+"../a\n"), userdata.FilesDir(dir)); r.OK() {
		t.Error("a file outside of the directory is read")
	}
}

func TestMaxSpec(t *testing.T) {
	t.Parallel()
	data := []byte(`{"ignition":{"version":"3.5.0"},` + core + `}`)
	if r := userdata.Check(data, userdata.MaxSpec(5)); !r.OK() || len(r.Problems) > 0 {
		t.Error(r.Problems)
	}
	if r := userdata.Check(data, userdata.MaxSpec(4)); r.OK() || r.Problems[0].ID != userdata.IDSpecTooNew {
		t.Error(r.Problems)
	}
	newest := []byte(`{"ignition":{"version":"3.6.0"},` + core + `}`)
	if r := userdata.Check(newest, userdata.MaxSpec(6)); !r.OK() || len(r.Problems) > 0 {
		t.Error(r.Problems)
	}
}
