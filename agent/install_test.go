package agent

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models/hints"
)

const hostnameFile = `{"path": "/etc/hostname", "mode": 420, "overwrite": true, "contents": {"source": "data:,worker-1"}}`

// nodeOf returns a node as a conductor sends it with a step.
func nodeOf(t *testing.T, properties, instanceInfo string) *dict {
	t.Helper()
	if properties == "" {
		properties = "{}"
	}
	v, err := hints.ParsePythonJSON(`{"uuid": "n1", "automated_clean": null, "properties": ` + properties + `, "instance_info": ` + instanceInfo + `}`)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*dict)
}

// runStep executes the named step in phase p, in the same way as commands such as execute_deploy_step.
func runStep(t *testing.T, a *agent, p phase, name string, node, args *dict) (any, *fault) {
	t.Helper()
	if args == nil {
		args = newDict()
	}
	step := newDict("interface", "deploy", "step", name, "args", args, "priority", toPythonInt(80))
	result, err := a.executeStep(t.Context(), p, newDict("step", step, "node", node, "ports", list{}, p.name+"_version", currentAgent.managerVersions()))
	if err == nil {
		return result, nil
	}
	var f *fault
	if !errors.As(err, &f) {
		t.Fatalf("the error is none that a conductor is told: %v", err)
	}
	return result, f
}

func TestInstallReadsConfigdrive(t *testing.T) {
	cases := []struct {
		name, info, hostname string
		want                 Install
	}{
		{
			name: "nothing", info: `{}`, hostname: "worker-1",
			want: Install{Ignition: []byte(`{"ignition": {"version": "3.0.0"}, "storage": {"files": [` + hostnameFile + `]}}`)},
		},
		{name: "nothing and no hostname", info: `{}`, want: Install{}},
		{name: "text without a hostname is verbatim", info: `{"configdrive": {"user_data": "#cloud-config\n"}}`, want: Install{Ignition: []byte("#cloud-config\n")}},
		{
			name: "an object", info: `{"configdrive": {"user_data": {"ignition": {"version": "3.3.0"}, "passwd": {}}}}`, hostname: "worker-1",
			want: Install{Ignition: []byte(`{"ignition": {"version": "3.3.0"}, "passwd": {}, "storage": {"files": [` + hostnameFile + `]}}`)},
		},
		{
			name: "text of an object", info: `{"configdrive": {"user_data": "{\"ignition\":{\"version\":\"3.3.0\"}}"}}`, hostname: "worker-1",
			want: Install{Ignition: []byte(`{"ignition": {"version": "3.3.0"}, "storage": {"files": [` + hostnameFile + `]}}`)},
		},
		{
			name: "an own /etc/hostname is there twice", info: `{"configdrive": {"user_data": {"storage": {"files": [{"path": "/etc/hostname"}]}}}}`, hostname: "worker-1",
			want: Install{Ignition: []byte(`{"storage": {"files": [{"path": "/etc/hostname"}, ` + hostnameFile + `]}}`)},
		},
		{name: "an empty list is nothing", info: `{"configdrive": {"user_data": []}}`, hostname: "worker-1", want: Install{Ignition: []byte(`{"ignition": {"version": "3.0.0"}, "storage": {"files": [` + hostnameFile + `]}}`)}},
		{name: "kernel arguments become one", info: `{"configdrive": {"meta_data": {"coreos_append_karg": ["a", "b"]}}}`, want: Install{AppendKargs: []string{"a,b"}}},
		{name: "text of kernel arguments is split", info: `{"configdrive": {"meta_data": {"coreos_append_karg": "a=b"}}}`, want: Install{AppendKargs: []string{"a,=,b"}}},
		{name: "copy network", info: `{"configdrive": {"meta_data": {"coreos_copy_network": true}}}`, want: Install{CopyNetwork: true}},
		{name: "an image", info: `{"image_source": "http://x/y.raw"}`, want: Install{ImageURL: "http://x/y.raw"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := newMetal()
			m.hostname = c.hostname
			if _, f := runStep(t, bench(m, Options{}), deploying, "install_coreos", nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, c.info), nil); f != nil {
				t.Fatal(f)
			}
			c.want.Device = "/dev/sda"
			got := m.installed()
			if len(got) != 1 || string(got[0].Ignition) != string(c.want.Ignition) || (got[0].Ignition == nil) != (c.want.Ignition == nil) ||
				!slices.Equal(got[0].AppendKargs, c.want.AppendKargs) || got[0].ImageURL != c.want.ImageURL ||
				got[0].CopyNetwork != c.want.CopyNetwork || got[0].Device != c.want.Device {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestInstallFails(t *testing.T) {
	hinted := `{"root_device": {"name": "/dev/sda"}}`
	unexpected := "Unexpected exception performing deploy step install_coreos. "
	cases := []struct {
		name, properties, info string
		kind                   kind
		details                string
		change                 func(*metal, *Options)
	}{
		{name: "a rendered configdrive", info: `{"configdrive": "H4sI"}`, kind: deploymentError, details: "Cannot use a pre-rendered configdrive, please pass it as JSON data"},
		{name: "cloud-init", info: `{"configdrive": {"user_data": "#cloud-config\n"}}`, kind: deploymentError, details: unexpected + "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"},
		{name: "empty text", info: `{"configdrive": {"user_data": ""}}`, kind: deploymentError, details: unexpected + "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"},
		{name: "a list", info: `{"configdrive": {"user_data": [1]}}`, kind: deploymentError, details: unexpected + "AttributeError: 'list' object has no attribute 'setdefault'"},
		{name: "text of a number", info: `{"configdrive": {"user_data": "5"}}`, kind: deploymentError, details: unexpected + "AttributeError: 'int' object has no attribute 'setdefault'"},
		{name: "no storage", info: `{"configdrive": {"user_data": {"storage": null}}}`, kind: deploymentError, details: unexpected + "AttributeError: 'NoneType' object has no attribute 'setdefault'"},
		{name: "files that are no list", info: `{"configdrive": {"user_data": {"storage": {"files": {}}}}}`, kind: deploymentError, details: unexpected + "AttributeError: 'dict' object has no attribute 'append'"},
		{name: "kernel arguments that are numbers", info: `{"configdrive": {"meta_data": {"coreos_append_karg": [1]}}}`, kind: deploymentError, details: unexpected + "TypeError: sequence item 0: expected str instance, int found"},
		{name: "no disk matches", properties: `{"root_device": {"wwn": "0xdead"}}`, info: `{}`, kind: deviceNotFound, details: "No suitable device was found for deployment using these hints {'wwn': '0xdead'}"},
		{name: "the hints of the instance count", properties: hinted, info: `{"root_device": {"serial": "x", "size": 5}}`, kind: deviceNotFound, details: "No suitable device was found for deployment using these hints {'serial': 'x', 'size': 5}"},
		{
			name: "a range", properties: `{"root_device": {"size": "<range-in> [ 10 20 ]"}}`, info: `{}`, kind: deviceNotFound,
			details: `No devices could be found using the root device hints {'size': '<range-in> [ 10 20 ]'} because they failed to validate. Error: Root device hint "size" is not an integer value. Current value: <range-in> [ 10 20 ]`,
		},
		{name: "a skipped disk", properties: `{"root_device": {"name": "/dev/sda"}, "skip_block_devices": [{"name": "/dev/sda"}]}`, info: `{}`, kind: deviceNotFound, details: "No suitable device was found for deployment using these hints {'name': '/dev/sda'}"},
		{
			name: "an installer that fails", properties: hinted, info: `{}`, kind: deploymentError, details: "coreos-installer failed with code 7: Error: install failed",
			change: func(m *metal, _ *Options) {
				m.installErr, m.lines = &ExitError{Code: 7}, []string{"Read disk 1 MiB/2 MiB (50%)", "  Error: install failed", " "}
			},
		},
		{
			name: "an installer that is silent", properties: hinted, info: `{}`, kind: deploymentError, details: "coreos-installer failed with code 1: None",
			change: func(m *metal, _ *Options) { m.installErr, m.lines = &ExitError{Code: 1}, nil },
		},
		{
			name: "no installer", properties: hinted, info: `{}`, kind: deploymentError, details: "Cannot run coreos-installer, is it installed in /mnt/coreos?",
			change: func(m *metal, _ *Options) { m.installErr = ErrNoInstaller },
		},
		{
			name: "failures that were asked for", properties: hinted, info: `{}`, kind: deploymentError, details: "coreos-installer failed with code 1: Error: no space",
			change: func(_ *metal, o *Options) { o.Faults.InstallFailures, o.Faults.InstallMessage = 3, "Error: no space" },
		},
		{
			name: "no EFI partition", properties: hinted, info: `{}`, kind: deviceNotFound,
			details: "No EFI partition could be detected on device /dev/sda and EFI partition UUID has not been recorded during deployment (which is often the case for whole disk images). Are you using a UEFI-compatible image?",
			change:  func(m *metal, _ *Options) { m.boot, m.bootErrs = UEFI, []error{ErrNoEFIPartition} },
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, options := newMetal(), Options{LookupTimeout: 1}
			if c.change != nil {
				c.change(m, &options)
			}
			_, f := runStep(t, bench(m, options), deploying, "install_coreos", nodeOf(t, c.properties, c.info), nil)
			if f == nil || f.Type != c.kind || f.Details != c.details {
				t.Errorf("got  %+v\nwant %s: %s", f, c.kind.name, c.details)
			}
			if f != nil && f.Message != c.kind.message {
				t.Errorf("the message is %q", f.Message)
			}
		})
	}
}

func TestInstallerIsTriedThreeTimes(t *testing.T) {
	m := newMetal()
	journal := &lines{}
	a := bench(m, Options{Journal: journal.add, Faults: Faults{InstallFailures: 2, InstallMessage: "Error: not yet"}})
	if _, f := runStep(t, a, deploying, "install_coreos", nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, `{}`), nil); f != nil {
		t.Fatal(f)
	}
	if len(m.installed()) != 1 {
		t.Errorf("the hardware installed %d times, want once after two failures", len(m.installed()))
	}
	for _, want := range []string{"coreos-installer: Error: not yet", "coreos-installer: Read disk 1.2 GiB/3.4 GiB (35%)", "coreos-installer failed with code 1", "Executing CoreOS installer: ['chroot', '/mnt/coreos', 'coreos-installer', 'install', '--preserve-on-error', '--ignition-file', '/tmp/ironic.ign', '--offline', '/dev/sda']"} {
		if !journal.has(want) {
			t.Errorf("the journal lacks %q", want)
		}
	}
}

func TestSmallestLargeEnoughDisk(t *testing.T) {
	cases := []struct {
		name, want, details string
		disks               []Disk
	}{
		{name: "the smallest", want: "/dev/sdb", disks: []Disk{disk("/dev/sda", 100*gib), disk("/dev/sdb", 50*gib)}},
		{name: "not below 4 GiB", want: "/dev/sda", disks: []Disk{disk("/dev/sda", 100*gib), disk("/dev/sdb", 4*gib-1)}},
		{name: "exactly 4 GiB", want: "/dev/sdb", disks: []Disk{disk("/dev/sda", 100*gib), disk("/dev/sdb", 4*gib)}},
		{name: "ties by name", want: "/dev/sda", disks: []Disk{disk("/dev/sdb", 5*gib), disk("/dev/sda", 5*gib)}},
		{name: "none", details: "No suitable device was found for deployment - root device hints were not provided and all found block devices are smaller than 4294967296B.", disks: []Disk{disk("/dev/sda", gib)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := currentAgent.pick(c.disks, nil)
			var f *fault
			errors.As(err, &f)
			if got != c.want || (f != nil) != (c.details != "") || f != nil && f.Details != c.details {
				t.Errorf("got %q, %+v", got, f)
			}
		})
	}
}

func TestBootEntryIsTriedSixTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMetal()
		m.boot = UEFI
		for range 6 {
			m.bootErrs = append(m.bootErrs, errors.New("efibootmgr failed"))
		}
		_, f := runStep(t, bench(m, Options{}), deploying, "install_coreos", nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, `{}`), nil)
		if f == nil || f.Type != commandExecution || !strings.Contains(f.Details, "Could not configure UEFI boot on device /dev/sda") {
			t.Errorf("got %+v", f)
		}
		if got := len(m.history()); got != 6 {
			t.Errorf("tried %d times", got)
		}
	})
}

func TestAssistedInstall(t *testing.T) {
	for name, c := range map[string]struct {
		units   []UnitState
		details string
	}{
		"ends well": {units: []UnitState{{"inactive", "success"}, {"active", "success"}, {"activating", "success"}, {"inactive", "success"}}},
		"fails": {
			units:   []UnitState{{"inactive", "success"}, {"active", "success"}, {"failed", "exit-code"}},
			details: `Assisted Installer Agent has failed with result "exit-code". Check the ramdisk logs for more details.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMetal()
				m.units = c.units
				_, f := runStep(t, bench(m, Options{}), deploying, "start_assisted_install", nodeOf(t, "", "{}"), nil)
				if (f == nil) != (c.details == "") || f != nil && f.Details != c.details {
					t.Errorf("got %+v", f)
				}
				if !slices.Contains(m.history(), "start agent.service") {
					t.Error("the unit was not started")
				}
			})
		})
	}
}
