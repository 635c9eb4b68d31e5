package agent

import (
	"errors"
	"testing"
	"time"

	"ironworks/models/hints"
)

const gib = 1 << 30

// shelf returns the disks for the tests in hintCases.
func shelf() []Disk {
	yes, no := true, false
	return []Disk{
		{
			Name: "/dev/sda", Model: Text("Samsung 980 PRO"), Size: 512 * gib, Rotational: &no, Vendor: Text("Samsung"),
			Serial: Texts{"S5GX-1", "Samsung_S5GX-1"}, WWN: Text("0x5002538f00000001"), HCTL: Text("0:0:0:0"),
			ByPath: Text("/dev/disk/by-path/pci-0000:00:1f.2-ata-1"), Transport: Text("sata"),
		},
		{
			Name: "/dev/sdb", Model: Text("WDC WD40EFRX"), Size: 4000787030016, Rotational: &yes, Vendor: Text("ATA"),
			Serial: Text("12345"), WWN: Text("0x50014ee000000002"), WWNWithExtension: Text("0x50014ee0000000020001"),
			WWNVendorExtension: Text("0x0001"), HCTL: Text("1:0:0:0"), Transport: Text("sas"),
		},
		{Name: "/dev/nvme0n1", Model: Text(""), Size: 1000204886016, Serial: Texts{}, Transport: Text("nvme")},
	}
}

// hintCase holds root device hints and the expected result: the name of the first matching disk, or an error message.
type hintCase struct {
	name, hints, disk, err string
}

// hintCases lists the cases to test. The real agent's device_hints.py gives the same results.
var hintCases = []hintCase{
	{name: "a bare word is equality", hints: `{"vendor": "samsung"}`, disk: "/dev/sda"},
	{name: "upper case does not matter", hints: `{"vendor": "SAMSUNG"}`, disk: "/dev/sda"},
	{name: "a bare part is not enough", hints: `{"model": "980"}`},
	{name: "bare words with spaces", hints: `{"model": "samsung 980 pro"}`, disk: "/dev/sda"},
	{name: "spaces around do not matter", hints: `{"model": "  samsung 980 pro "}`, disk: "/dev/sda"},
	{name: "s== with spaces", hints: `{"model": "s== Samsung 980 PRO"}`, disk: "/dev/sda"},
	{name: "s== without a space after it", hints: `{"vendor": "s==samsung"}`, disk: "/dev/sda"},
	{name: "s!= skips", hints: `{"vendor": "s!= samsung"}`, disk: "/dev/sdb"},
	{name: "s!= matches what is not known", hints: `{"hctl": "s!= 0:0:0:0", "tran": "nvme"}`, disk: "/dev/nvme0n1"},
	{name: "unknown is the word none", hints: `{"by_path": "none"}`, disk: "/dev/sdb"},
	{name: "unknown vendor is none", hints: `{"vendor": "None"}`, disk: "/dev/nvme0n1"},
	{name: "<in> a part", hints: `{"model": "<in> 980 pro"}`, disk: "/dev/sda"},
	{name: "<in> at the start", hints: `{"model": "<in> wdc"}`, disk: "/dev/sdb"},
	{name: "<in> nothing", hints: `{"model": "<in> intel"}`},
	{name: "<in> in none", hints: `{"wwn": "<in> on"}`, disk: "/dev/nvme0n1"},
	{name: "<in> without a space", hints: `{"model": "<in>wdc"}`, disk: "/dev/sdb"},
	{name: "<or> the second", hints: `{"vendor": "<or> intel <or> ata"}`, disk: "/dev/sdb"},
	{name: "<or> the first in the order of disks", hints: `{"vendor": "<or> ata <or> samsung"}`, disk: "/dev/sda"},
	{name: "<or> with spaces in a word", hints: `{"model": "<or> foo bar <or> samsung 980 pro"}`, disk: "/dev/sda"},
	{name: "<or> with one word", hints: `{"vendor": "<or> ata"}`, disk: "/dev/sdb"},
	{name: "<or> none of them", hints: `{"vendor": "<or> a <or> b"}`},
	{name: "<or> written together", hints: `{"vendor": "<or>intel<or>ata"}`, disk: "/dev/sdb"},
	{name: "s< by letters", hints: `{"vendor": "s< b"}`, disk: "/dev/sdb"},
	{name: "s<= by letters", hints: `{"vendor": "s<= ata"}`, disk: "/dev/sdb"},
	{name: "s> by letters", hints: `{"vendor": "s> b"}`, disk: "/dev/sda"},
	{name: "s>= by letters", hints: `{"vendor": "s>= samsung"}`, disk: "/dev/sda"},
	{name: "name", hints: `{"name": "/dev/sdb"}`, disk: "/dev/sdb"},
	{name: "name in upper case", hints: `{"name": "/DEV/SDB"}`, disk: "/dev/sdb"},
	{name: "a name that is not there", hints: `{"name": "/dev/vda"}`},
	{name: "hctl", hints: `{"hctl": "1:0:0:0"}`, disk: "/dev/sdb"},
	{name: "<in> in hctl", hints: `{"hctl": "<in> 1:0"}`, disk: "/dev/sdb"},
	{name: "by_path", hints: `{"by_path": "/dev/disk/by-path/pci-0000:00:1f.2-ata-1"}`, disk: "/dev/sda"},
	{name: "wwn", hints: `{"wwn": "0x50014EE000000002"}`, disk: "/dev/sdb"},
	{name: "a wwn that is not there", hints: `{"wwn": "0xdead"}`},
	{name: "wwn with extension", hints: `{"wwn_with_extension": "0x50014ee0000000020001"}`, disk: "/dev/sdb"},
	{name: "vendor extension of wwn", hints: `{"wwn_vendor_extension": "0x0001"}`, disk: "/dev/sdb"},
	{name: "the first serial of several", hints: `{"serial": "s5gx-1"}`, disk: "/dev/sda"},
	{name: "the second serial of several", hints: `{"serial": "Samsung_S5GX-1"}`, disk: "/dev/sda"},
	{name: "s!= matches if one of several differs", hints: `{"serial": "s!= s5gx-1"}`, disk: "/dev/sda"},
	{name: "an empty list of serials matches nothing", hints: `{"serial": "s!= x", "tran": "nvme"}`},
	{name: "an empty attribute matches nothing", hints: `{"model": "s!= x", "tran": "nvme"}`},
	{name: "a number as serial", hints: `{"serial": "12345"}`, disk: "/dev/sdb"},
	{name: "tran", hints: `{"tran": "sas"}`, disk: "/dev/sdb"},
	{name: "rotational", hints: `{"rotational": true}`, disk: "/dev/sdb"},
	{name: "not rotational", hints: `{"rotational": false}`, disk: "/dev/sda"},
	{name: "rotational as a word", hints: `{"rotational": "Yes"}`, disk: "/dev/sdb"},
	{name: "rotational as a digit in text", hints: `{"rotational": "0"}`, disk: "/dev/sda"},
	{name: "rotational as a number", hints: `{"rotational": 1}`, disk: "/dev/sdb"},
	{name: "unknown rotational matches neither", hints: `{"rotational": false, "tran": "nvme"}`},
	{name: "size", hints: `{"size": 512}`, disk: "/dev/sda"},
	{name: "size in text", hints: `{"size": "512"}`, disk: "/dev/sda"},
	{name: "only whole multiples are equal", hints: `{"size": 3726}`},
	{name: "size >=", hints: `{"size": ">= 600"}`, disk: "/dev/sdb"},
	{name: "size >", hints: `{"size": "> 512"}`, disk: "/dev/sdb"},
	{name: "size <", hints: `{"size": "< 512"}`},
	{name: "size <=", hints: `{"size": "<= 512"}`, disk: "/dev/sda"},
	{name: "size !=", hints: `{"size": "!= 512"}`, disk: "/dev/sdb"},
	{name: "size ==", hints: `{"size": "== 512"}`, disk: "/dev/sda"},
	{name: "a single = is at least", hints: `{"size": "= 100"}`, disk: "/dev/sda"},
	{name: "sizes are compared as fractions", hints: `{"size": "> 3726"}`, disk: "/dev/sdb"},
	{name: "size with a sign and an underscore", hints: `{"size": ">= +6_00"}`, disk: "/dev/sdb"},
	{name: "<or> never matches a size", hints: `{"size": "<or> 512 <or> 1024"}`},
	{name: "s== never matches a size", hints: `{"size": "s== 512"}`},
	{name: "all hints must match", hints: `{"vendor": "ata", "rotational": false}`},
	{name: "all hints match", hints: `{"vendor": "ata", "rotational": true, "size": ">= 3000"}`, disk: "/dev/sdb"},
	{name: "the first of several", hints: `{"size": ">= 1"}`, disk: "/dev/sda"},

	{name: "<range-in> for a size", hints: `{"size": "<range-in> [ 10 20 ]"}`, err: `ValueError: Root device hint "size" is not an integer value. Current value: <range-in> [ 10 20 ]`},
	{name: "size zero", hints: `{"size": 0}`, err: `ValueError: Root device hint "size" should be a positive integer. Current value: 0`},
	{name: "a negative size", hints: `{"size": "-5"}`, err: `ValueError: Root device hint "size" should be a positive integer. Current value: -5`},
	{name: "half a GiB", hints: `{"size": "60.5"}`, err: `ValueError: Root device hint "size" is not an integer value. Current value: 60.5`},
	{name: "size true", hints: `{"size": true}`, err: `ValueError: Root device hint "size" is not an integer value. Current value: True`},
	{name: "no size", hints: `{"size": ""}`, err: `ValueError: Root device hint size expression is empty`},
	{name: "size of bananas", hints: `{"size": "<in> banana"}`, err: `ValueError: Root device hint "size" is not an integer value. Current value: <in> banana`},
	{name: "<in> for a size", hints: `{"size": "<in> 512"}`, err: `TypeError: argument of type 'float' is not iterable`},
	{name: "s< for a size", hints: `{"size": "s< 512"}`, err: `TypeError: '<' not supported between instances of 'float' and 'str'`},
	{name: "a serial that is no string", hints: `{"serial": 5}`, err: `ValueError: Root device hint "serial" is not a string value. Hint expression: 5`},
	{name: "an empty model", hints: `{"model": " "}`, err: `ValueError: Root device hint model expression is empty`},
	{name: "rotational maybe", hints: `{"rotational": "maybe"}`, err: `ValueError: Root device hint "rotational" is not a Boolean value. Current value: maybe`},
	{name: "an unknown hint", hints: `{"bogus": 1}`, err: `ValueError: The hints "bogus" are invalid. Valid hints are: "size, model, wwn, serial, vendor, wwn_with_extension, wwn_vendor_extension, name, rotational, hctl, by_path, tran"`},
	{name: "a comparison of numbers with a word", hints: `{"vendor": ">= 5"}`, err: `ValueError: could not convert string to float: 'samsung'`},
	{name: "<range-in> for text", hints: `{"vendor": "<range-in> [ 10 20 ]"}`, err: `ValueError: could not convert string to float: 'samsung'`},
	{name: "<all-in> for several words", hints: `{"model": "<all-in> samsung"}`, err: `SyntaxError: invalid decimal literal (<unknown>, line 1)`},
}

func TestHints(t *testing.T) {
	for _, c := range hintCases {
		t.Run(c.name, func(t *testing.T) {
			given, err := hints.Decode([]byte(c.hints))
			if err != nil {
				t.Fatal(err)
			}
			disks, err := HintDisks(shelf())
			if err != nil {
				t.Fatal(err)
			}
			got, said := "", ""
			for d, err := range given.Matching(disks, currentAgent.generation()) {
				var e *hints.Error
				if errors.As(err, &e) {
					said = e.Full()
				}
				got = d.Name
				break
			}
			if got != c.disk || said != c.err {
				t.Errorf("got disk %q, error %q; want disk %q, error %q", got, said, c.disk, c.err)
			}
		})
	}
}

// TestAwaitDisks checks how the agent waits for the root device after the lookup. If no disk matches the hints, the
// agent only logs this. If the hints cannot be compared with the disks, the agent ends.
func TestAwaitDisks(t *testing.T) {
	for _, c := range []struct {
		name, hints, err string
	}{
		{"they match", `{"vendor": "ata"}`, ""},
		{"nothing matches", `{"wwn": "0xdead"}`, ""},
		{"they are wrong", `{"size": "big"}`, ""},
		{"they cannot be compared", `{"model": "<all-in> samsung"}`, "waiting for the disks: invalid decimal literal (<unknown>, line 1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			node, err := hints.ParsePythonJSON(`{"uuid": "u", "properties": {"root_device": ` + c.hints + `}, "instance_info": {}}`)
			if err != nil {
				t.Fatal(err)
			}
			a := &agent{hardware: &metal{disks: shelf()}}
			a.node.Store(node.(*dict))
			a.log = newLogs(&journal{now: time.Now, sink: func(Entry) {}})
			said := ""
			if err := a.awaitDisks(t.Context()); err != nil {
				said = err.Error()
			}
			if said != c.err {
				t.Errorf("got %q, want %q", said, c.err)
			}
		})
	}
}
