package plan

import (
	"slices"
	"strings"
	"testing"
)

// deployInterfaces returns the deploy interfaces of Ironic 39.0 and one that is unknown to ironworks.
func deployInterfaces() []string {
	return []string{"autodetect", "direct", "bootc", "custom-agent", "ansible", "anaconda", "ramdisk", "fake", "of-the-vendor"}
}

// withInterface returns the facts about a node that has the given deploy interface, an image, and two disks that
// differ only in their serial numbers.
func withInterface(t *testing.T, iface, hints string) *Facts {
	t.Helper()
	source := `"http://h/disk.qcow2", "image_checksum": "` + strings.Repeat("a1", 32) + `"`
	if iface == "bootc" {
		source = `"oci://registry.example/os@sha256:` + strings.Repeat("a1", 32) + `"`
	}
	f := goodFacts(t, `"deploy_interface": "`+iface+`", "instance_info": {"boot_iso": "http://h/x.iso", "image_source": `+source+`}`)
	f.Plan.RootDevice = RootDevice{}
	if hints != "" {
		f.Plan.RootDevice.Hints = hintsOf(hints)
	}
	f.Drivers[0].Enabled["deploy"] = append([]string{"autodetect", "bootc", "fake", "of-the-vendor"}, f.Drivers[0].Enabled["deploy"]...)
	f.Drivers[0].Enabled["deploy"] = append(f.Drivers[0].Enabled["deploy"], "ansible", "anaconda")
	if err := f.Resolve(); err != nil {
		t.Fatal(err)
	}
	return f
}

func refusedIDs(f *Facts) []CheckID {
	var ids []CheckID
	for _, c := range RefusedChecks(Checks(f, CheckChoices{})) {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestNoInterfaceEscapesTheDiskChecks checks that with every interface that uses hints, a deployment is refused if
// the hints are missing, match no disk, match several disks, or are invalid.
func TestNoInterfaceEscapesTheDiskChecks(t *testing.T) {
	t.Parallel()
	unharmed := []string{"ramdisk", "fake"}
	for _, iface := range deployInterfaces() {
		for _, tt := range []struct {
			what, hints string
			refuses     CheckID
		}{
			{"no hints", "", CheckRootDevice},
			{"hints that match nothing", `{"serial": "S9"}`, CheckRootDevice},
			{"hints that match both", `{"vendor": "s== none"}`, CheckRootDevice},
			{"hints that are malformed", `{"size": "<range-in> [ 10 20 ]"}`, CheckHints},
			{"the right hints", `{"serial": "S1"}`, ""},
		} {
			want := tt.refuses
			switch {
			case slices.Contains(unharmed, iface):
				want = ""
			case iface == "anaconda":
				want = CheckKickstart
			}
			got := refusedIDs(withInterface(t, iface, tt.hints))
			if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
				t.Errorf("%s with %s: refused by %v, want %q", iface, tt.what, got, want)
			}
		}
	}
}

func TestTheRightHintsNameTheDisk(t *testing.T) {
	t.Parallel()
	for _, iface := range deployInterfaces() {
		f := withInterface(t, iface, `{"serial": "S1"}`)
		target, picks := f.OnlyTarget(), f.Kind.PicksDisk()
		if picks != (target != nil) || target != nil && target.Name != "/dev/sda" {
			t.Errorf("%s: disk %v", iface, target)
		}
	}
}

func TestAutodetectIsPredicted(t *testing.T) {
	t.Parallel()
	const (
		iso    = `"boot_iso": "http://h/x.iso"`
		kernel = `"kernel": "http://h/k", "ramdisk": "http://h/r"`
		asked  = `"ironic_ramdisk_deploy": true`
		web    = `"image_source": "http://h/i"`
	)
	for name, tt := range map[string]struct {
		info    string
		enabled []string
		want    string
	}{
		"an image of the web":                     {web, nil, "direct"},
		"nothing at all":                          {"", nil, "direct"},
		"an ISO that nobody asked to boot":        {iso, nil, "direct"},
		"an ISO to boot":                          {iso + "," + asked, nil, "ramdisk"},
		"an ISO to boot, by text":                 {iso + `, "ironic_ramdisk_deploy": "false"`, nil, "ramdisk"},
		"an ISO not to boot":                      {iso + `, "ironic_ramdisk_deploy": ""`, nil, "direct"},
		"a kernel and a ramdisk to boot":          {kernel + "," + asked, nil, "ramdisk"},
		"a kernel alone":                          {`"kernel": "http://h/k", ` + asked, nil, "direct"},
		"a kernel to boot beside an image":        {kernel + "," + asked + "," + web, nil, "direct or ramdisk"},
		"ramdisk is not enabled":                  {iso + "," + asked, []string{"autodetect", "direct"}, "direct"},
		"an image of a registry":                  {`"image_source": "oci://r/i:1"`, nil, "bootc or direct"},
		"an image of a registry, without bootc":   {`"image_source": "oci://r/i:1"`, []string{"autodetect", "direct"}, "direct"},
		"an image of Glance":                      {`"image_source": "3b2c2f7e-9c0c-4d4e-8f0e-1d6b2d9b7a10"`, nil, "direct or ramdisk"},
		"an image of Glance by its scheme":        {`"image_source": "glance://x"`, nil, "direct or ramdisk"},
		"direct is not enabled":                   {web, []string{"autodetect", "custom-agent", "of-the-vendor"}, "custom-agent or another interface"},
		"what is enabled is not known":            {web, []string{}, "direct"},
		"the word oci in capitals is of no image": {`"image_source": "OCI://r/i"`, nil, "direct"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := goodFacts(t, `"deploy_interface": "autodetect", "instance_info": {`+tt.info+`}`)
			f.Drivers[0].Enabled["deploy"] = []string{"autodetect", "direct", "ramdisk", "bootc"}
			switch {
			case tt.enabled != nil && len(tt.enabled) == 0:
				f.Drivers = nil
			case tt.enabled != nil:
				f.Drivers[0].Enabled["deploy"] = tt.enabled
			}
			if err := f.Resolve(); err != nil {
				t.Fatal(err)
			}
			if got, want := f.InterfaceText(), "autodetect → "+tt.want+" (predicted)"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// TestAnyOutcomeRefuses checks that a problem with any possible outcome counts. The node's image is in Glance, so
// autodetect may switch to direct, which writes the image, or to ramdisk, which boots it.
func TestAnyOutcomeRefuses(t *testing.T) {
	t.Parallel()
	f := goodFacts(t, `"deploy_interface": "autodetect", "boot_interface": "ipxe", "driver_info": {"deploy_kernel": "http://h/k", "deploy_ramdisk": "http://h/r"},
		"instance_info": {"image_source": "glance://x"}`)
	f.Drivers[0].Enabled["deploy"] = []string{"autodetect", "direct", "ramdisk", "bootc"}
	f.Plan.RootDevice = RootDevice{}
	if err := f.Resolve(); err != nil {
		t.Fatal(err)
	}
	checks := Checks(f, CheckChoices{})
	for id, want := range map[CheckID]string{
		CheckRootDevice:     "if autodetect switches to direct: no hints",
		CheckUserDataReader: "if autodetect switches to ramdisk: no configdrive",
	} {
		i := slices.IndexFunc(checks, func(c Check) bool { return c.ID == id })
		if i < 0 || checks[i].Severity == CheckOK || !strings.Contains(checks[i].Text, want) {
			t.Errorf("%s: want %q in %v", id, want, checks)
		}
	}
}

func TestKindsAreConsistent(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		if got := kindOfInterface(kind.deployInterface()); got.deployInterface() != kind.deployInterface() {
			t.Errorf("%s: the interface %q is of %s", kind, kind.deployInterface(), got)
		}
	}
	f := withInterface(t, "autodetect", `{"serial": "S1"}`)
	f.Plan.Kind, f.Plan.DeployInterface = KindInstallCoreOS, "autodetect"
	if err := f.Resolve(); err != nil {
		t.Fatal(err)
	}
	if got := refusedIDs(f); !slices.Equal(got, []CheckID{CheckDeployInterface}) {
		t.Errorf("install_coreos by autodetect: refused by %v", got)
	}
}

func TestUUIDLike(t *testing.T) {
	t.Parallel()
	const plain = "1be26c0b-03f2-4d2e-ae87-c02d7f33c781"
	for text, want := range map[string]bool{
		plain: true, strings.ToUpper(plain): true, strings.ReplaceAll(plain, "-", ""): true, "{" + plain + "}": true,
		"urn:uuid:" + plain: true, "urn:uuid:{" + plain + "}": true, "URN:UUID:" + plain: false, "{urn:uuid:" + plain + "}": true,
		plain[1:]: false, "g" + plain[1:]: false, "": false,
	} {
		if got := uuidLike(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
