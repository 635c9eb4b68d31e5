package lab

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/lab/agent"
	"ironworks/lab/machine"
)

// Scenario is what is wrong with a machine, and with the way in which it is
// enrolled. The zero Scenario is a machine that works.
type Scenario struct {
	Name string
	// Summary says in a sentence what is wrong, and how it ends.
	Summary string

	BMC   machine.Faults
	Agent agent.Faults

	// NeverBoots is a ramdisk whose kernel hangs.
	NeverBoots bool
	// NewestAgent is a ramdisk that is as new as they come, whatever the age of
	// the Ironic that it meets.
	NewestAgent bool
	// Slower is how many times longer everything takes; 0 and 1 are as usual.
	Slower float64

	// RootDevice are hints that the node is enrolled with.
	RootDevice map[string]any
	// Twins gives the machine a second disk of the same model.
	Twins bool
	// SharedDisk gives the machine a disk that others see, too: all machines
	// with the same text have one in common, wwn included.
	SharedDisk string
	// WrongMAC enrols the node with a port that is not the machine's.
	WrongMAC bool
	// WrongPassword enrolls the node with a password that is not the BMC's. The
	// right one is [BMCPassword].
	WrongPassword bool
	// MissingISO enrols the node with a deploy ISO that is not there.
	MissingISO bool
}

const (
	// bmcStall is longer than sushy waits for an answer (60 s).
	bmcStall = 75 * time.Second
	// skewedClock is further ahead than a certificate is valid backwards.
	skewedClock = 26 * time.Hour

	// wrongPassword is what a node is enrolled with if it has the wrong one.
	wrongPassword = "not-the-password" //nolint:gosec // it opens nothing

	sharedWWN   = "0x60002ac0000000000000000500012345"
	missingDisk = "0x5000c500deadbeef"
)

// scenarios are the built-in ones; installFailsPrefix makes more of them.
var scenarios = []Scenario{
	{Name: "ok", Summary: "works"},
	{Name: "slow", Summary: "takes five times as long", Slower: 5},
	{
		Name: "no-disk-matches", Summary: "is enrolled with root device hints that no disk matches: install_coreos fails",
		RootDevice: map[string]any{"wwn": missingDisk},
	},
	{
		Name: "two-disks-match", Summary: "has two disks that the root device hints match: the first is taken without a word",
		Twins: true, RootDevice: map[string]any{"model": twinModel},
	},
	{
		Name: "shared-disk", Summary: "sees a disk that another machine sees, too, under the same wwn: installing one overwrites the other",
		SharedDisk: sharedWWN,
	},
	{Name: "bmc-password", Summary: "is enrolled with a password that its BMC refuses: manage goes back to enroll", WrongPassword: true},
	{Name: "bmc-stalls", Summary: "has a BMC that takes 75 s for an answer", BMC: machine.Faults{Stall: bmcStall}},
	{Name: "never-boots", Summary: "has a ramdisk that hangs while it boots: no agent calls back", NeverBoots: true},
	{Name: "boots-but-no-route", Summary: "boots a ramdisk that cannot reach Ironic: no agent calls back", Agent: agent.Faults{NoRoute: true}},
	{Name: "agent-dies-mid-step", Summary: "loses its agent in the middle of install_coreos: heartbeats end", Agent: agent.Faults{DieInStep: "install_coreos"}},
	{Name: "clean-fails", Summary: "cannot erase /dev/sda: cleaning fails, the node ends in maintenance", Agent: agent.Faults{
		FailStep: "erase_devices_metadata", FailDisk: "/dev/sda", FailMessage: "Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1",
	}},
	{Name: "wrong-mac", Summary: "is enrolled with another port's address: Ironic does not know the agent that calls", WrongMAC: true},
	{Name: "clock-skew", Summary: "has a clock 26 hours ahead: Ironic takes the agent's certificate for one of the future", Agent: agent.Faults{ClockSkew: skewedClock}},
	{Name: "iso-404", Summary: "is enrolled with a deploy ISO that is not there", MissingISO: true, BMC: machine.Faults{ImageFails: "404 Not Found"}},
	{Name: "power-stuck", Summary: "has a BMC that takes power commands and does nothing", BMC: machine.Faults{PowerStuck: true}},
	{Name: "no-inventory", Summary: "has an agent that cannot collect the inventory: inspection fails", Agent: agent.Faults{NoInventory: true}},
	{Name: "agent-newer-than-ironic", Summary: "boots the newest agent, which an old Ironic cannot drive", NewestAgent: true},
}

const (
	installFailsPrefix, installFailsSuffix = "install-fails-", "-times"
	// installMessage is the last line of coreos-installer when anything went wrong.
	installMessage = "Error: install failed"
)

// Scenarios are the built-in ones, in the order of the documentation. The name
// install-fails-N-times stands for one for each N.
func Scenarios() []Scenario {
	return append(slices.Clone(scenarios), installFails(4))
}

// installFails is a machine on which the first n runs of coreos-installer fail.
// The step tries three times.
func installFails(n int) Scenario {
	return Scenario{
		Name:    fmt.Sprintf("%s%d%s", installFailsPrefix, n, installFailsSuffix),
		Summary: fmt.Sprintf("fails the first %d runs of coreos-installer; a step tries three times", n),
		Agent:   agent.Faults{InstallFailures: n, InstallMessage: installMessage},
	}
}

// UnknownScenarioError is a name that no scenario has.
type UnknownScenarioError struct {
	Name  string
	Known []string
}

func (e *UnknownScenarioError) Error() string {
	return fmt.Sprintf("unknown scenario %q; there are %s", e.Name, strings.Join(e.Known, ", "))
}

// FindScenario finds one by its name.
func FindScenario(name string) (Scenario, error) { return findScenario(name, nil) }

func findScenario(name string, own map[string]Scenario) (Scenario, error) {
	if s, ok := own[name]; ok {
		return s, nil
	}
	for _, s := range scenarios {
		if s.Name == name {
			return s.copied(), nil
		}
	}
	if middle, ok := strings.CutPrefix(name, installFailsPrefix); ok {
		if middle, ok = strings.CutSuffix(middle, installFailsSuffix); ok {
			if n, err := strconv.Atoi(middle); err == nil && n > 0 {
				return installFails(n), nil
			}
		}
	}
	known := slices.Sorted(maps.Keys(own))
	for _, s := range scenarios {
		known = append(known, s.Name)
	}
	return Scenario{}, &UnknownScenarioError{Name: name, Known: append(known, installFailsPrefix+"N"+installFailsSuffix)}
}

func (s Scenario) copied() Scenario {
	s.RootDevice = maps.Clone(s.RootDevice)
	return s
}
