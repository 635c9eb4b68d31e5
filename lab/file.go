package lab

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"ironworks/lab/machine"
)

// maxMachines is the maximum number of machines in one file.
const maxMachines = 10_000

// file is the structure of the YAML that ReadMembers reads.
type file struct {
	Scenarios map[string]scenarioText `yaml:"scenarios"`
	Machines  []machineText           `yaml:"machines"`
}

// scenarioText is a custom scenario in a file. Omitted fields keep the values of the scenario that it is based on.
type scenarioText struct {
	BasedOn string `yaml:"based_on"`
	Summary string `yaml:"summary"`

	BMC struct {
		Stall          time.Duration `yaml:"stall"`
		RefusePassword *bool         `yaml:"refuse_password"`
		PowerStuck     *bool         `yaml:"power_stuck"`
		PowerFails     *bool         `yaml:"power_fails"`
		ImageFails     string        `yaml:"image_fails"`
		BIOSIgnores    string        `yaml:"bios_ignores"`
	} `yaml:"bmc"`
	Agent struct {
		DieInStep       string        `yaml:"die_in_step"`
		DieAfter        time.Duration `yaml:"die_after"`
		InstallFailures int           `yaml:"install_failures"`
		InstallMessage  string        `yaml:"install_message"`
		FailStep        string        `yaml:"fail_step"`
		FailMessage     string        `yaml:"fail_message"`
		FailDisk        string        `yaml:"fail_disk"`
		NoRoute         *bool         `yaml:"no_route"`
		ClockSkew       time.Duration `yaml:"clock_skew"`
		StepDelay       time.Duration `yaml:"step_delay"`
		NoInventory     *bool         `yaml:"no_inventory"`
	} `yaml:"agent"`
	NeverBoots *bool          `yaml:"never_boots"`
	Newest     *bool          `yaml:"newest_agent"`
	Slower     float64        `yaml:"slower"`
	RootDevice map[string]any `yaml:"root_device"`
	SharedDisk string         `yaml:"shared_disk"`
	WrongMAC   *bool          `yaml:"wrong_mac"`
	WrongPass  *bool          `yaml:"wrong_password"`
	MissingISO *bool          `yaml:"missing_iso"`
}

type machineText struct {
	Name          string     `yaml:"name"`
	Count         int        `yaml:"count"`
	Scenario      string     `yaml:"scenario"`
	ResourceClass string     `yaml:"resource_class"`
	CPUs          int        `yaml:"cpus"`
	MemoryMiB     int        `yaml:"memory_mib"`
	MACs          []string   `yaml:"macs"`
	Disks         []diskText `yaml:"disks"`
	// RAID is the controller to which all disks of the machine are attached.
	RAID *machine.RAIDController `yaml:"raid"`
}

type diskText struct {
	Name       string `yaml:"name"`
	SizeGiB    int64  `yaml:"size_gib"`
	Model      string `yaml:"model"`
	Vendor     string `yaml:"vendor"`
	Serial     string `yaml:"serial"`
	WWN        string `yaml:"wwn"`
	Rotational bool   `yaml:"rotational"`
	HCTL       string `yaml:"hctl"`
	ByPath     string `yaml:"by_path"`
}

// ReadMembers reads machines from YAML:
//
//	scenarios:
//	  bad-cable: {based_on: ok, agent: {no_route: true}}
//	machines:
//	  - {name: r1-n%02d, count: 4}
//	  - {name: r1-n05, scenario: bad-cable, disks: [{name: /dev/sda, size_gib: 100}]}
//	  - {name: r1-n06, raid: {on_reset: true}}
//
// If count is greater than 1 and the name has no %d, the number is appended to the name. An unknown key causes an
// error that reports its line.
func ReadMembers(r io.Reader) ([]Member, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading machines: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var f file
	if err := decoder.Decode(&f); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("reading machines: the file is empty")
		}
		return nil, fmt.Errorf("reading machines: %w", err)
	}
	if len(f.Machines) == 0 {
		return nil, errors.New(`reading machines: no list "machines"`)
	}
	own := map[string]Scenario{}
	for name, text := range f.Scenarios {
		if own[name], err = text.scenario(name); err != nil {
			return nil, fmt.Errorf("reading machines: scenario %s: %w", name, err)
		}
	}
	var members []Member
	for i, text := range f.Machines {
		more, err := text.members(own)
		if err != nil {
			return nil, fmt.Errorf("reading machines: machine %d: %w", i+1, err)
		}
		if members = append(members, more...); len(members) > maxMachines {
			return nil, fmt.Errorf("reading machines: more than %d machines", maxMachines)
		}
	}
	return members, checkMembers(members)
}

func (t scenarioText) scenario(name string) (Scenario, error) {
	s, err := FindScenario(cmp.Or(t.BasedOn, "ok"))
	if err != nil {
		return s, err
	}
	s.Name = name
	override(&s.Summary, t.Summary)
	override(&s.BMC.Stall, t.BMC.Stall)
	override(&s.BMC.ImageFails, t.BMC.ImageFails)
	override(&s.BMC.BIOSIgnores, t.BMC.BIOSIgnores)
	override(&s.Agent.DieInStep, t.Agent.DieInStep)
	override(&s.Agent.DieAfter, t.Agent.DieAfter)
	override(&s.Agent.InstallFailures, t.Agent.InstallFailures)
	override(&s.Agent.InstallMessage, t.Agent.InstallMessage)
	override(&s.Agent.FailStep, t.Agent.FailStep)
	override(&s.Agent.FailMessage, t.Agent.FailMessage)
	override(&s.Agent.FailDisk, t.Agent.FailDisk)
	override(&s.Agent.ClockSkew, t.Agent.ClockSkew)
	override(&s.Agent.StepDelay, t.Agent.StepDelay)
	override(&s.Slower, t.Slower)
	override(&s.SharedDisk, t.SharedDisk)
	for value, given := range map[*bool]*bool{
		&s.BMC.RefusePassword: t.BMC.RefusePassword, &s.BMC.PowerStuck: t.BMC.PowerStuck, &s.BMC.PowerFails: t.BMC.PowerFails,
		&s.Agent.NoRoute: t.Agent.NoRoute, &s.Agent.NoInventory: t.Agent.NoInventory, &s.NeverBoots: t.NeverBoots,
		&s.NewestAgent: t.Newest, &s.WrongMAC: t.WrongMAC, &s.WrongPassword: t.WrongPass, &s.MissingISO: t.MissingISO,
	} {
		if given != nil {
			*value = *given
		}
	}
	if t.RootDevice != nil {
		s.RootDevice = t.RootDevice
	}
	if s.Slower < 0 {
		return s, fmt.Errorf("slower: %g is negative", s.Slower)
	}
	if s.Agent.InstallFailures > 0 && s.Agent.InstallMessage == "" {
		s.Agent.InstallMessage = installMessage
	}
	return s, nil
}

func override[T comparable](value *T, given T) { *value = cmp.Or(given, *value) }

func (t machineText) members(own map[string]Scenario) ([]Member, error) {
	if t.Name == "" {
		return nil, errors.New("missing name")
	}
	scenario, err := findScenario(cmp.Or(t.Scenario, "ok"), own)
	if err != nil {
		return nil, err
	}
	if t.Count < 0 || t.Count > maxMachines {
		return nil, fmt.Errorf("count %d: want 1 to %d", t.Count, maxMachines)
	}
	if t.Count > 1 && (len(t.MACs) > 0) {
		return nil, fmt.Errorf("%s: %d machines cannot have the same MAC addresses", t.Name, t.Count)
	}
	disks, err := t.disks()
	if err != nil {
		return nil, err
	}
	var members []Member
	for i := range max(t.Count, 1) {
		m := Member{
			Name: t.Name, Scenario: scenario, ResourceClass: t.ResourceClass, CPUs: t.CPUs, MemoryMiB: t.MemoryMiB, MACs: t.MACs,
			Disks: slices.Clone(disks), RAID: t.RAID,
		}
		if m.Name, err = numbered(t.Name, i+1, t.Count); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// numbered inserts the number in place of %d or %02d. Without these, it appends it if count is greater than 1.
func numbered(name string, number, count int) (string, error) {
	if before, rest, found := strings.Cut(name, "%"); found {
		width, after, ok := strings.Cut(rest, "d")
		if !ok || len(width) > 2 || strings.Trim(width, "0123456789") != "" || strings.Contains(after, "%") {
			return "", fmt.Errorf("name %q: use %%d or %%02d, once", name)
		}
		return before + fmt.Sprintf("%"+width+"d", number) + after, nil
	}
	if count > 1 {
		return fmt.Sprintf("%s-%d", name, number), nil
	}
	return name, nil
}

func (t machineText) disks() ([]machine.Disk, error) {
	var disks []machine.Disk
	for i, d := range t.Disks {
		if d.SizeGiB <= 0 {
			return nil, fmt.Errorf("disk %d of %s: size_gib %d: want a positive number", i+1, t.Name, d.SizeGiB)
		}
		if d.Name == "" {
			d.Name = diskName(i)
		}
		disks = append(disks, machine.Disk{
			Name: d.Name, SizeBytes: d.SizeGiB * gib, Model: d.Model, Vendor: d.Vendor, Serial: d.Serial, WWN: d.WWN,
			Rotational: d.Rotational, HCTL: d.HCTL, ByPath: d.ByPath,
		})
	}
	return disks, nil
}
