package provision_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/enroll"
	"ironworks/provision"
	"ironworks/test/embedded"
)

const (
	bootISO    = "http://192.0.2.1/a/ramdisk.iso"
	bootKernel = "http://192.0.2.1/a/vmlinuz"
	bootInitrd = "http://192.0.2.1/a/initrd.img"
)

// TestEnrollRamdisk checks that the boot interface determines whether a node gets the ISO or the kernel and its
// initramfs. It also checks that a second comparison finds nothing to change.
func TestEnrollRamdisk(t *testing.T) {
	both := provision.EnrollRamdisk{ISO: bootISO, Kernel: bootKernel, Initramfs: bootInitrd, KernelParams: "coreos.live.rootfs_url=http://192.0.2.1/a/rootfs.img"}
	iso, pair := provision.EnrollRamdisk{ISO: bootISO}, provision.EnrollRamdisk{Kernel: bootKernel, Initramfs: bootInitrd}
	for _, test := range []struct {
		name    string
		boot    string // boot interface in the input
		ramdisk provision.EnrollRamdisk
		info    map[string]any // driver_info of the existing node; nil for a new node
		want    string         // expected fields of driver_info
		changes string
		note    string
	}{
		{name: "ISO for virtual media", boot: "redfish-virtual-media", ramdisk: both, want: "deploy_iso"},
		{name: "pair for network boot", boot: "ipxe", ramdisk: both, want: "deploy_kernel deploy_ramdisk kernel_append_params"},
		{name: "ISO cannot be booted from the network", boot: "ipxe", ramdisk: iso, note: "pass --deploy-kernel"},
		{name: "a pair alone is for virtual media, too", boot: "redfish-virtual-media", ramdisk: pair, want: "deploy_kernel deploy_ramdisk"},
		{name: "the driver's default decides", ramdisk: iso, note: "pass --deploy-kernel"},
		{name: "no ramdisk", boot: "ipxe"},
		{
			name: "another ISO", boot: "redfish-virtual-media", ramdisk: iso, info: map[string]any{"deploy_iso": "http://192.0.2.9/old.iso"},
			want: "deploy_iso", changes: "driver_info.deploy_iso http://192.0.2.9/old.iso → " + bootISO,
		},
		{name: "the same ISO", boot: "redfish-virtual-media", ramdisk: iso, info: map[string]any{"deploy_iso": bootISO}, want: "deploy_iso"},
		{name: "the existing node's interface decides", ramdisk: iso, info: map[string]any{"deploy_iso": bootISO}, want: "deploy_iso"},
		{
			name: "a pair takes the place of an ISO", boot: "redfish-virtual-media", ramdisk: pair, info: map[string]any{"deploy_iso": bootISO}, want: "deploy_iso deploy_kernel deploy_ramdisk",
			changes: "driver_info.deploy_iso " + bootISO + " → unset|driver_info.deploy_kernel unset → " + bootKernel + "|driver_info.deploy_ramdisk unset → " + bootInitrd,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := embedded.New(t, time.Now).Client(t)
				machine := func(boot string, info map[string]any) []enroll.Node {
					n := enroll.Node{Fields: map[string]any{"name": "n1", "driver": "redfish", "driver_info": map[string]any{"redfish_address": "https://10.0.0.1"}}}
					for key, value := range info {
						n.Set(value, "driver_info", key)
					}
					if boot != "" {
						n.Set(boot, "boot_interface")
					}
					n.Normalize()
					return []enroll.Node{n}
				}
				if test.info != nil {
					enroller(client).Run(t.Context(), compared(t, client, machine("redfish-virtual-media", test.info), enroll.Options{}))
				}
				reader := &provision.EnrollReader{API: client}
				plan, err := reader.Compare(t.Context(), parsed(t, provision.EnrollInput{Ramdisk: test.ramdisk}), machine(test.boot, nil))
				if err != nil {
					t.Fatal(err)
				}
				info := maps.Clone(plan[0].Node.DriverInfo())
				delete(info, "redfish_address")
				if got := strings.Join(slices.Sorted(maps.Keys(info)), " "); got != test.want {
					t.Errorf("driver_info has %s, want %s", got, test.want)
				}
				if got := strings.Join(plan[0].Differences(), "|"); got != test.changes {
					t.Errorf("changes %s\nwant    %s", got, test.changes)
				}
				if notes := strings.Join(plan[0].Node.Notes, "; "); test.note == "" && notes != "" || !strings.Contains(notes, test.note) {
					t.Errorf("notes %q, want %q", notes, test.note)
				}
				if r := enroller(client).Run(t.Context(), plan); r[0].Outcome != provision.OutcomeDone {
					t.Fatalf("%+v", r[0])
				}
				plan, err = reader.Compare(t.Context(), parsed(t, provision.EnrollInput{Ramdisk: test.ramdisk}), machine(test.boot, nil))
				if err != nil || plan[0].Kind != enroll.Unchanged {
					t.Errorf("then %s %v %v", plan[0].Kind, plan[0].Differences(), err)
				}
			})
		})
	}
}

// TestEnrollRamdiskIsChecked checks that the error for an invalid ramdisk names the flag that must be corrected.
func TestEnrollRamdiskIsChecked(t *testing.T) {
	t.Parallel()
	for want, ramdisk := range map[string]provision.EnrollRamdisk{
		"--deploy-iso: neither a URL":                            {ISO: "live"},
		`--deploy-iso: Ironic does not support the scheme "ftp"`: {ISO: "ftp://h/x.iso"},
		"--deploy-kernel: a kernel and an initramfs must be":     {Kernel: bootKernel},
		"--deploy-kernel: deploy_ramdisk: neither a URL":         {Kernel: bootKernel, Initramfs: "initrd"},
		"pass --deploy-kernel URL and --deploy-ramdisk URL":      {KernelParams: "quiet"},
		"--deploy-kernel: kernel_append_params":                  {Kernel: bootKernel, Initramfs: bootInitrd, KernelParams: "a\nb"},
	} {
		in := provision.EnrollInput{Ramdisk: ramdisk}
		if _, err := in.Parse(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", ramdisk, err, want)
		}
	}
	in := provision.EnrollInput{Files: []string{"a"}, Ramdisk: provision.EnrollRamdisk{ISO: bootISO, Kernel: bootKernel, Initramfs: bootInitrd, KernelParams: "quiet"}}
	want := "enroll -f a --deploy-iso " + bootISO + " --deploy-kernel " + bootKernel + " --deploy-ramdisk " + bootInitrd + " --kernel-params quiet"
	if got := strings.Join(in.CommandLine(provision.GoalEnroll, false), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
