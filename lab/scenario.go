package lab

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/agent"
	"ironworks/lab/machine"
)

// Scenario describes the faults of a machine, and of its enrollment. The zero Scenario is a working machine.
type Scenario struct {
	Name string
	// Summary describes the fault and its result in a sentence.
	Summary string

	BMC   machine.Faults
	Agent agent.Faults

	// NeverBoots makes the ramdisk's kernel panic during the boot, so that no agent starts.
	NeverBoots bool
	// NewestAgent gives the ramdisk the newest agent, regardless of Ironic's release.
	NewestAgent bool
	// Slower multiplies all durations; 0 means 1.
	Slower float64

	// RootDevice contains the root device hints of the enrolled node.
	RootDevice map[string]any
	// Twins adds two disks of the same model to the machine.
	Twins bool
	// SharedDisk, if not empty, is the WWN of a disk that all machines with the same value share.
	SharedDisk string
	// WrongMAC enrolls the node with a port that does not belong to the machine.
	WrongMAC bool
	// WrongPassword enrolls the node with a wrong BMC password instead of [BMCPassword].
	WrongPassword bool
	// MissingISO enrolls the node with the URL of a deploy ISO that does not exist.
	MissingISO bool
}

const (
	// bmcStall is the time by which a stalled BMC delays its responses. It is longer than sushy's timeout (60 s).
	bmcStall = 75 * time.Second
	// skewedClock is the time by which a skewed clock is ahead. It is longer than the time by which the agent
	// backdates its certificate.
	skewedClock = 26 * time.Hour

	// wrongPassword is the BMC password of nodes whose scenario sets WrongPassword.
	wrongPassword = "not-the-password" //nolint:gosec // it opens nothing

	sharedWWN   = "0x60002ac0000000000000000500012345"
	missingDisk = "0x5000c500deadbeef"
)

// scenarios contains the built-in scenarios. FindScenario also knows those of installFails.
var scenarios = []Scenario{
	{Name: "ok", Summary: "works"},
	{Name: "slow", Summary: "is five times slower", Slower: 5},
	{
		Name: "no-disk-matches", Summary: "is enrolled with root device hints that no disk matches: install_coreos fails",
		RootDevice: map[string]any{"wwn": missingDisk},
	},
	{
		Name: "two-disks-match", Summary: "has two disks that match the root device hints: the first is used silently",
		Twins: true, RootDevice: map[string]any{"model": twinModel},
	},
	{
		Name: "shared-disk", Summary: "shares a disk (same WWN) with another machine: installing one overwrites the other",
		SharedDisk: sharedWWN,
	},
	{Name: "bmc-password", Summary: "is enrolled with a wrong BMC password: manage returns to enroll", WrongPassword: true},
	{Name: "bmc-stalls", Summary: "has a BMC that answers after 75 s", BMC: machine.Faults{Stall: bmcStall}},
	{Name: "never-boots", Summary: "has a ramdisk that hangs during boot: no call-back", NeverBoots: true},
	{Name: "boots-but-no-route", Summary: "boots a ramdisk that cannot reach Ironic: no call-back", Agent: agent.Faults{NoRoute: true}},
	{Name: "agent-dies-mid-step", Summary: "loses its agent during install_coreos: heartbeats end", Agent: agent.Faults{DieInStep: "install_coreos"}},
	{Name: "clean-fails", Summary: "cannot erase /dev/sda: cleaning fails, maintenance is set", Agent: agent.Faults{
		FailStep: "erase_devices_metadata", FailDisk: "/dev/sda", FailMessage: "Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1",
	}},
	{Name: "wrong-mac", Summary: "is enrolled with a wrong MAC address: Ironic does not recognize the agent", WrongMAC: true},
	{Name: "clock-skew", Summary: "has a clock 26 hours ahead: the agent's certificate is not valid yet", Agent: agent.Faults{ClockSkew: skewedClock}},
	{Name: "iso-404", Summary: "is enrolled with a missing deploy ISO", MissingISO: true, BMC: machine.Faults{ImageFails: "404 Not Found"}},
	{Name: "power-stuck", Summary: "has a BMC that accepts power commands and ignores them", BMC: machine.Faults{PowerStuck: true}},
	{Name: "no-inventory", Summary: "has an agent that cannot collect the inventory: inspection fails", Agent: agent.Faults{NoInventory: true}},
	{Name: "agent-newer-than-ironic", Summary: "boots the newest agent, which an old Ironic cannot drive", NewestAgent: true},
}

const (
	installFailsPrefix, installFailsSuffix = "install-fails-", "-times"
	// installMessage is the last line that coreos-installer prints if it fails.
	installMessage = "Error: install failed"
)

// Scenarios returns the built-in scenarios in the order of the documentation. install-fails-N-times is one of them.
func Scenarios() []Scenario {
	return append(slices.Clone(scenarios), installFails(4))
}

// installFails returns a scenario in which the first n runs of coreos-installer fail. A step runs it up to three times.
func installFails(n int) Scenario {
	return Scenario{
		Name:    fmt.Sprintf("%s%d%s", installFailsPrefix, n, installFailsSuffix),
		Summary: fmt.Sprintf("fails the first %d runs of coreos-installer; a step tries three times", n),
		Agent:   agent.Faults{InstallFailures: n, InstallMessage: installMessage},
	}
}

// FindScenario returns the scenario with the given name.
func FindScenario(name string) (Scenario, error) { return findScenario(name, nil) }

func findScenario(name string, own map[string]Scenario) (Scenario, error) {
	if s, ok := own[name]; ok {
		return s, nil
	}
	for _, s := range scenarios {
		if s.Name == name {
			s.RootDevice = maps.Clone(s.RootDevice)
			return s, nil
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
	known = append(known, installFailsPrefix+"N"+installFailsSuffix)
	return Scenario{}, fmt.Errorf("unknown scenario %q; available: %s", name, strings.Join(known, ", "))
}
