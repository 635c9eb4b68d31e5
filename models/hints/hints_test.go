package hints

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ironworks/models"
)

func hintsFrom(t *testing.T, text string) Hints {
	t.Helper()
	h, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// shelf returns the disks of the tests.
func shelf(t *testing.T) []Disk {
	t.Helper()
	disks, err := DecodeDisks([]byte(`[
		{"name": "/dev/sda", "model": "Samsung 980 PRO", "size": 480103981056, "rotational": false, "vendor": "ATA",
		 "serial": "S5GX", "wwn": "0x5002538f00000001", "hctl": "0:0:0:0", "by_path": "/dev/disk/by-path/pci-1", "tran": "sata"},
		{"name": "/dev/sdb", "model": "WDC WD40EFRX", "size": 4000787030016, "rotational": true, "vendor": "ATA",
		 "serial": ["12345", null, "WDC-12345"], "wwn": "0x50014ee000000002", "hctl": "1:0:0:0"},
		{"name": "/dev/sdc", "model": null, "size": 2147483648, "vendor": null, "serial": "12345"}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	return disks
}

// TestIronicAndTheAgent covers the common cases of validation and selection. test/hints compares
// everything with the originals.
func TestIronicAndTheAgent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by             Generation
		hints          string
		invalid, picks string
		fails          string
	}{
		"no operator is equality, whatever the case":  {hints: `{"model": "SAMSUNG 980 pro"}`, picks: "/dev/sda"},
		"a part needs <in>":                           {hints: `{"model": "980"}`, fails: "No suitable device was found"},
		"<in>":                                        {hints: `{"model": "<in> 980 pro"}`, picks: "/dev/sda"},
		"<or>":                                        {hints: `{"model": "<or> x <or> WDC WD40EFRX"}`, picks: "/dev/sdb"},
		"GiB is a float":                              {hints: `{"size": 447}`, fails: "No suitable device"},
		"at least":                                    {hints: `{"size": ">= 447"}`, picks: "/dev/sda"},
		"= is at least":                               {hints: `{"size": "= 3000"}`, picks: "/dev/sdb"},
		"one of several serials":                      {hints: `{"serial": "wdc-12345"}`, picks: "/dev/sdb"},
		"the old agent knows no lists":                {by: GenerationOld, hints: `{"serial": "wdc-12345"}`, fails: "No suitable"},
		"null is the word none":                       {hints: `{"vendor": "none"}`, picks: "/dev/sdc"},
		"s!= matches null":                            {hints: `{"vendor": "s!= ata"}`, picks: "/dev/sdc"},
		"all hints have to match":                     {hints: `{"vendor": "ata", "rotational": "yes"}`, picks: "/dev/sdb"},
		"no hints: the smallest of at least 4 GiB":    {hints: `{}`, picks: "/dev/sda"},
		"null: the same":                              {hints: `null`, picks: "/dev/sda"},
		"<range-in> is Ironic's alone":                {hints: `{"size": "<range-in> [ 10 600 ]"}`, fails: "is not an integer value"},
		"old oslo.utils has no <range-in>":            {by: GenerationOld, hints: `{"size": "<range-in> [ 10 600 ]"}`, invalid: "is not an integer value", fails: "not an integer"},
		"tran is the newest agent's alone":            {hints: `{"tran": "sata"}`, invalid: `The hints "tran" are invalid`, picks: "/dev/sda"},
		"the old agent does not know tran":            {by: GenerationOld, hints: `{"tran": "sata"}`, invalid: `"tran" are invalid`, fails: "failed to validate"},
		"<all-in> is valid, and the agent's end":      {hints: `{"model": "<all-in> a b"}`, fails: "SyntaxError: invalid decimal literal"},
		"<all-in> over a name of one word":            {hints: `{"vendor": "<all-in> a"}`, fails: "failed to validate. Error: malformed node or string"},
		"a serial has to be text":                     {hints: `{"serial": 5}`, invalid: "is not a string value. Hint expression: 5", fails: "not a string"},
		"sizes are whole":                             {hints: `{"size": 60.5}`, invalid: "Current value: 60.5", fails: "60.5"},
		"sizes are positive":                          {hints: `{"size": 0}`, invalid: "should be a positive integer", fails: "positive"},
		"Ironic looks for operators in truths":        {hints: `{"rotational": ""}`, invalid: `"rotational" expression is empty`, fails: "is not a Boolean value"},
		"the old one does not":                        {by: GenerationOld, hints: `{"rotational": ""}`, invalid: "is not a Boolean value", fails: "is not a Boolean value"},
		"an operator alone":                           {hints: `{"model": "=="}`, invalid: "found end of text  (at char 2)", fails: "ParseException: Expected"},
		"an operator after an operator":               {hints: `{"model": "== <in>"}`, invalid: "unwanted token", fails: "ParseException: Found"},
		"hints that are no object":                    {hints: `"sda"`, invalid: `The hints "s, d, a" are invalid`, fails: "sda because they failed"},
		"a list of hints":                             {hints: `["size"]`, invalid: "has no attribute 'items'", fails: "AttributeError"},
		"text operators do not work on sizes":         {hints: `{"size": "<in> 4"}`, fails: "TypeError: argument of type 'float' is not iterable"},
		"numbers and words":                           {hints: `{"vendor": ">= 5"}`, fails: "could not convert string to float: 'ata'"},
		"a size that is not lower case at the second": {hints: `{"size": "S== 5"}`, fails: "could not convert string to float: 'S=='"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := Case{Hints: hintsFrom(t, c.hints), Disks: shelf(t)}.Judge(c.by)
			text := func(s *string) string {
				if s == nil {
					return ""
				}
				return *s
			}
			if v.Valid != (c.invalid == "") || !strings.Contains(text(v.Because), c.invalid) {
				t.Errorf("Ironic: valid %v, %q; want %q", v.Valid, text(v.Because), c.invalid)
			}
			if text(v.Agent.Picks) != c.picks || (v.Agent.Error == nil) != (c.fails == "") || !strings.Contains(text(v.Agent.Error), c.fails) {
				t.Errorf("the agent picks %q, error %q; want %q, %q", text(v.Agent.Picks), text(v.Agent.Error), c.picks, c.fails)
			}
		})
	}
}

func TestSkipAndRAID(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by                 Generation
		hints, skip, picks string
		raid               []RAIDVolume
		fails              string
	}{
		"a skipped disk is not picked":         {hints: `{}`, skip: `[{"name": "/dev/sda"}]`, picks: "/dev/sdb"},
		"not even by its own hint":             {hints: `{"name": "/dev/sda"}`, skip: `[{"vendor": "ata"}]`, fails: "No suitable"},
		"names of volumes are no hints":        {hints: `{}`, skip: `[{"volume_name": "root"}]`, picks: "/dev/sda"},
		"wrong hints to skip break the search": {hints: `{}`, skip: `[{"bogus": 1}]`, fails: "ValueError: The hints"},
		"an empty entry breaks it, too":        {hints: `{}`, skip: `[{}]`, fails: "'NoneType' object is not iterable"},
		"a root volume comes before hints":     {hints: `{"name": "/dev/sda"}`, raid: []RAIDVolume{{Name: "/dev/md0", Root: true}}, picks: "/dev/md0"},
		"the old agent does not mind it":       {by: GenerationOld, hints: `{"name": "/dev/sda"}`, raid: []RAIDVolume{{Name: "/dev/md0", Root: true}}, picks: "/dev/sda"},
		"what another volume is made of": {
			hints: `{}`, raid: []RAIDVolume{{Name: "/dev/md0", Parts: []string{"/dev/sda"}}}, picks: "/dev/sdb",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Search{Generation: c.by, Hints: hintsFrom(t, c.hints), Skip: hintsFrom(t, c.skip), RAID: c.raid}
			got, err := s.Pick(shelf(t))
			said := ""
			var e *Error
			if errors.As(err, &e) {
				said = e.Full()
			}
			if got != c.picks || (said == "") != (c.fails == "") || !strings.Contains(said, c.fails) {
				t.Errorf("picks %q, error %q; want %q, %q", got, said, c.picks, c.fails)
			}
		})
	}
}

func TestHintsOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw, hints string
		source     Source
	}{
		"the instance comes first": {
			`{"instance_info": {"root_device": {"wwn": "1"}}, "properties": {"root_device": {"wwn": "2"}}}`, `{"wwn":"1"}`, OfInstance,
		},
		"an empty object is none": {
			`{"instance_info": {"root_device": {}}, "properties": {"root_device": {"wwn": "2"}}}`, `{"wwn":"2"}`, OfProperties,
		},
		"the order is kept":  {`{"properties": {"root_device": {"wwn": "2", "model": "x", "hctl": null}}}`, `{"wwn":"2","model":"x","hctl":null}`, OfProperties},
		"as people write it": {`{"properties": {"root_device": {"size": ">= 100"}}}`, `{"size":">= 100"}`, OfProperties},
		"none at all":        {`{"properties": {}, "instance_info": null}`, `null`, Nowhere},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &models.Node{Raw: json.RawMessage(c.raw)}
			got, err := Of(n)
			if err != nil || got.Hints.String() != c.hints || got.Source != c.source {
				t.Errorf("%s of %q, %v; want %s of %q", got.Hints, got.Source, err, c.hints, c.source)
			}
		})
	}
	n := &models.Node{Properties: map[string]any{"root_device": map[string]any{"wwn": "1"}, "skip_block_devices": []any{1}}}
	if got, err := Of(n); err != nil || got.Hints.String() != `{"wwn":"1"}` || got.Skip.String() != "[1]" {
		t.Errorf("a node from a list: %+v, %v", got, err)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	e := Search{Hints: hintsFrom(t, `{"model": "980", "size": ">= 400", "rotational": false}`), Skip: hintsFrom(t, `[{"serial": "12345", "size": "<= 10"}]`)}.Explain(shelf(t))
	wants := []string{
		`model 980: has "Samsung 980 PRO": to match a part of the value, use <in>`,
		`model 980: has "WDC WD40EFRX"; rotational False: is rotational`,
		"skipped by skip_block_devices",
	}
	for i, d := range e.Disks {
		if d.Why != wants[i] || d.Picked || d.Matches || d.Skipped != (i == 2) {
			t.Errorf("%s: %q (%+v), want %q", d.Disk.Name, d.Why, d, wants[i])
		}
	}
	if last := e.Disks[2].Hints; last[2].Why != "not reported by the ramdisk" || last[0].Why != "not reported by the ramdisk; compared as the text \"none\"" {
		t.Errorf("%+v", last)
	}
	e = Search{Hints: hintsFrom(t, `{"vendor": "ata"}`)}.Explain(shelf(t))
	if e.Picks != "/dev/sda" || len(e.Matching()) != 2 || !strings.Contains(e.Disks[1].Why, "picks the first") || e.Disks[0].Why != "all hints match" {
		t.Errorf("two match: %+v", e)
	}
	e = Search{}.Explain(shelf(t))
	if e.Picks != "/dev/sda" || e.Disks[2].Why != "smaller than 4 GiB" || !strings.Contains(e.Disks[1].Why, "picks the smallest") {
		t.Errorf("no hints: %+v", e)
	}
	e = Search{Hints: hintsFrom(t, `{"size": "big", "vendor": "ata"}`)}.Explain(shelf(t))
	if e.Error == "" || !strings.Contains(e.Disks[0].Why, "cannot be compared") || !e.Disks[0].Hints[1].Matches {
		t.Errorf("broken: %+v", e)
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	for hints, want := range map[string]string{
		`{"size": "<range-in> [ 1 2 ]"}`: "error: Ironic accepts the hints, but the agent fails",
		`{"tran": "nvme"}`:               "error: the agent accepts the hints, but Ironic rejects them",
		`{"bogus": 1}`:                   "error: Ironic refuses the hints",
		`{"model": "<all-in> a"}`:        "error: <all-in> requires",
		`{"size": 480}`:                  "warning: equality is exact",
		`{"size": "= 480"}`:              "warning: = means \"at least\"",
		`{"size": "<or> 1 <or> 2"}`:      "error: <or> compares text",
		`{"size": "<in> 4"}`:             "error: <in> compares text",
		`{"size": "s!= 4"}`:              "warning: s!= compares text",
		`{"vendor": ">= 5"}`:             "warning: >= compares numbers",
		`{"vendor": "s!= ata"}`:          "warning: s!= also matches disks that do not report",
		`{"name": "/dev/sda"}`:           "warning: kernel names",
		`{"wwn": "0x1"}`:                 "",
		`{"rotational": true}`:           "",
		`{"size": ">= 10"}`:              "",
		`{}`:                             "",
	} {
		var said []string
		for _, p := range hintsFrom(t, hints).Lint(GenerationNewest) {
			said = append(said, string(p.Severity)+": "+p.Text)
		}
		if got := strings.Join(said, "\n"); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", hints, got, want)
		}
	}
}

func TestMostStableHint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ disks, want, refused string }{
		"wwn":                       {disks: `[{"name": "a", "wwn": "0x1", "serial": "s"}, {"name": "b", "wwn": "0x2"}]`, want: `{"wwn":"0x1"}`},
		"a wwn that two have":       {disks: `[{"name": "a", "wwn": "0x1", "wwn_with_extension": "0x12"}, {"name": "b", "wwn": "0x1"}]`, want: `{"wwn_with_extension":"0x12"}`},
		"the vendor's extension":    {disks: `[{"name": "a", "wwn": "0x1", "wwn_vendor_extension": "0x2"}, {"name": "b", "wwn": "0X1"}]`, want: `{"wwn_vendor_extension":"0x2"}`},
		"serial":                    {disks: `[{"name": "a", "serial": "s1"}, {"name": "b", "serial": "s2"}]`, want: `{"serial":"s1"}`},
		"case does not tell apart":  {disks: `[{"name": "a", "serial": "s1", "by_path": "/p"}, {"name": "b", "serial": "S1"}]`, want: `{"by_path":"/p"}`},
		"hctl":                      {disks: `[{"name": "a", "hctl": "0:0:0:0"}, {"name": "b", "hctl": "0:0:1:0"}]`, want: `{"hctl":"0:0:0:0"}`},
		"a serial with an operator": {disks: `[{"name": "a", "serial": "= 5"}, {"name": "b"}]`, refused: "serial is not unique"},
		"none is no serial":         {disks: `[{"name": "a", "serial": "None"}]`, refused: "serial is not unique"},
		"names are not stable":      {disks: `[{"name": "/dev/sda", "size": 5}]`, refused: "no stable hint identifies /dev/sda: wwn is not reported"},
		"twins":                     {disks: `[{"name": "a", "wwn": "1", "serial": "2"}, {"name": "b", "wwn": "1", "serial": "2"}]`, refused: "wwn is not unique"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disks, err := DecodeDisks([]byte(c.disks))
			if err != nil {
				t.Fatal(err)
			}
			got, err := MostStable(disks[0], disks)
			var refused *NoStableHintError
			if errors.As(err, &refused) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Fatalf("%v, want %q", err, c.refused)
			}
			if err == nil && got.String() != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	if _, err := FindDisk(shelf(t), "sdb"); err != nil {
		t.Error(err)
	}
	if _, err := FindDisk(shelf(t), "/dev/sdz"); !errors.Is(err, errNoSuchDisk) {
		t.Error(err)
	}
}

func TestDecodeDisks(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"inventory": {"disks": [{"name": "/dev/sda"}]}, "plugin_data": {}}`, `{"disks": [{"name": "/dev/sda"}]}`, `[{"name": "/dev/sda"}]`,
	} {
		if disks, err := DecodeDisks([]byte(raw)); err != nil || len(disks) != 1 || disks[0].Name != "/dev/sda" {
			t.Errorf("%s: %+v, %v", raw, disks, err)
		}
	}
	for _, raw := range []string{``, `{`, `{}`, `[1]`, `{"disks": null}`, `[] []`} {
		if disks, err := DecodeDisks([]byte(raw)); err == nil {
			t.Errorf("%s: %+v", raw, disks)
		}
	}
	inv, err := DecodeInventory([]byte(`{"inventory": {"disks": [{"name": "a", "size": 1}], "system_vendor": {"serial_number": "s"}}}`))
	if err != nil || !inv.OutOfBand() || inv.Vendor.Serial != "s" {
		t.Errorf("%+v, %v", inv, err)
	}
	full := Inventory{Disks: shelf(t)}
	if full.OutOfBand() {
		t.Error("the ramdisk told more than names and sizes")
	}
}

// TestMadeDisk checks that a disk that was not decoded is matched like a decoded one.
func TestMadeDisk(t *testing.T) {
	t.Parallel()
	yes := true
	made := []Disk{{Name: "/dev/sda", Size: 10 * GiB, WWN: "0x1", Rotational: &yes}}
	for hints, want := range map[string]string{`{"wwn": "0X1", "size": 10, "rotational": true, "model": "none"}`: "/dev/sda", `{}`: "/dev/sda", `{"wwn": "2"}`: ""} {
		if got, _ := (Search{Hints: hintsFrom(t, hints)}).Pick(made); got != want {
			t.Errorf("%s picks %q, want %q", hints, got, want)
		}
	}
	raw, err := json.Marshal(shelf(t)[1])
	if err != nil || !strings.Contains(string(raw), `"serial":["12345",null,"WDC-12345"]`) {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestGenerationOf(t *testing.T) {
	t.Parallel()
	for minor, want := range map[int]Generation{0: GenerationNewest, 82: GenerationOld, 83: GenerationNewest, 115: GenerationNewest} {
		if got := GenerationOf(models.APIVersion{Minor: minor}); got != want {
			t.Errorf("1.%d: %s", minor, got)
		}
	}
	for _, g := range []Generation{GenerationNewest, GenerationOld} {
		if got, err := ParseGeneration(g.String()); err != nil || got != g {
			t.Errorf("%s: %v, %v", g, got, err)
		}
	}
}

// TestNilDict checks that a nil object can be copied like an empty one.
func TestNilDict(t *testing.T) {
	t.Parallel()
	var none *PythonDict
	for _, v := range []any{PythonCopy(none), PythonMasked("", none), none.Ordered("a")} {
		if PythonRepr(v) != "{}" {
			t.Errorf("%s, want {}", PythonRepr(v))
		}
	}
}
