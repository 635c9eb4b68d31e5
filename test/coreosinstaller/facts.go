package coreosinstaller

import (
	_ "embed" // recorded facts
	"encoding/json"
	"strings"
)

// KargsFact records what coreos-installer 0.26.0 does to the kernel arguments of an image.
type KargsFact struct {
	// Image is a key of the map that [Images] returns. Prepared holds the arguments of an earlier `iso kargs modify`,
	// if any. Arguments holds the arguments of the recorded `iso kargs modify`; if Reset is true, `iso kargs reset`
	// was run instead.
	Image     string   `json:"image"`
	Prepared  []string `json:"prepared,omitempty"`
	Reset     bool     `json:"reset,omitempty"`
	Arguments []string `json:"arguments,omitempty"`
	// Refused reports whether the command failed. If it succeeded, Kargs holds the kernel arguments that `iso kargs
	// show` prints afterwards, and SHA256 is the checksum of the image.
	Refused bool   `json:"refused,omitempty"`
	Kargs   string `json:"kargs,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}

// AreaFact records what coreos-installer 0.26.0 writes into the embed area of an image.
type AreaFact struct {
	// Name names the embedded data: "configuration", "keyfiles" or "both".
	Name   string `json:"name"`
	Image  string `json:"image"`
	Config string `json:"config,omitempty"`
	// Keyfiles maps the names of NetworkManager keyfiles to their contents.
	Keyfiles map[string]string `json:"keyfiles,omitempty"`
	// Area is the content of the embed area, without trailing zeros.
	Area []byte `json:"area"`
}

// Facts records what the real program does. `go test ./test/coreosinstaller -update` writes the facts, and make
// test-long compares them with the program.
type Facts struct {
	Kargs []KargsFact `json:"kargs"`
	Areas []AreaFact  `json:"areas"`
	// Wrapped is the output of `pxe ignition wrap` for Config.
	Config  string `json:"config"`
	Wrapped []byte `json:"wrapped"`
}

//go:embed testdata/facts.json
var recorded []byte

// Recorded returns the facts in testdata/facts.json.
func Recorded() (Facts, error) {
	var facts Facts
	err := json.Unmarshal(recorded, &facts)
	return facts, err
}

// Images returns the images that the facts refer to, keyed by name.
func Images() map[string]Live {
	return map[string]Live{"x86_64": X86(), "2022": Early(), "s390x": S390X(), "2021": Header()}
}

// Cases returns the facts to record, without their results.
func Cases() Facts {
	facts := Facts{Config: `{"ignition": {"version": "3.2.0"}}` + "\n"}
	long := func(length int) string { return strings.Repeat("x", length) }
	for _, image := range []string{"x86_64", "s390x", "2021"} {
		size := KargsSize
		if image == "s390x" {
			size = 896
		}
		for _, arguments := range [][]string{
			{"-a", "console=ttyS0"},
			{"-a", " spaces=1  "},
			{"-a", "several=1 words", "-a", "several=1"},
			{"-d", "ignition.firstboot"},
			{"-d", "  ignition.firstboot "},
			{"-d", "ignition.firstboot ignition.platform.id=metal"},
			{"-d", "not.there"},
			{"-d", "ignition"},
			{"-r", "mitigations=auto,nosmt=off"},
			{"-r", "mitigations=auto=off"},
			{"-r", "mitigations=auto,nosmt=a=b"},
			{"-r", "mitigations=off"},
			{"-r", "=auto,nosmt=off"},
			{"-r", " mitigations=auto,nosmt=off"},
			{"-a", "k=1", "-r", "k=1=2"},
			{"-a", "k=1", "-d", "k=1"},
			{"-a", "k=#"},
			{"-a", "ä=ü"},
			{"-a", long(size - len(Kargs) - 2)},
			{"-a", long(size - len(Kargs) - 1)},
		} {
			facts.Kargs = append(facts.Kargs, KargsFact{Image: image, Arguments: arguments})
		}
		same := []string{"-a", "k=1", "-a", "k=1", "-a", "k=1"}
		facts.Kargs = append(facts.Kargs,
			KargsFact{Image: image, Prepared: same, Arguments: []string{"-d", "k=1"}},
			KargsFact{Image: image, Prepared: same, Arguments: []string{"-r", "k=1=2"}},
			KargsFact{Image: image, Prepared: same, Reset: true},
			KargsFact{Image: image, Reset: true},
		)
	}
	keyfiles := map[string]string{
		"eno1.nmconnection":  "[connection]\nid=eno1\ntype=ethernet\n[ipv4]\nmethod=auto\n",
		"bond0.nmconnection": "[connection]\nid=bond0\ntype=bond\n",
	}
	for _, image := range []string{"x86_64", "s390x"} {
		facts.Areas = append(facts.Areas,
			AreaFact{Name: "configuration", Image: image, Config: facts.Config},
			AreaFact{Name: "keyfiles", Image: image, Keyfiles: keyfiles},
			AreaFact{Name: "both", Image: image, Config: facts.Config, Keyfiles: keyfiles},
		)
	}
	return facts
}
