package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"ironworks/agent"
	"ironworks/ignition"
	"ironworks/lab/external"
	"ironworks/lab/machine"
)

// Machine is a machine of a lab: its hardware, and the ramdisk and agent that run on it.
type Machine struct {
	*machine.Machine
	member  Member
	lab     *Lab
	number  int
	bmc     string // the address of the machine's Redfish service
	journal journal
	guest   *guest // nil for a simulated machine
	work    sync.WaitGroup
	rescue  atomic.Value // a string; see RescuePassword
}

// Scenario returns the machine's scenario.
func (m *Machine) Scenario() Scenario { return m.member.Scenario }

// Journal returns the stored output of the machine's ramdisks, the oldest line first.
func (m *Machine) Journal() []agent.Entry { return m.journal.all() }

// RescuePassword returns the hash of the rescue password in the last ramdisk, or "".
func (m *Machine) RescuePassword() string {
	hash, _ := m.rescue.Load().(string)
	return hash
}

// MACs returns the MAC addresses of the machine's network interfaces.
func (m *Machine) MACs() []string { return slices.Clone(m.member.MACs) }

// Address returns the machine's address in its own network. The address is unreachable: it is in the network that RFC
// 2544 reserves for benchmarks.
func (m *Machine) Address() string {
	return fmt.Sprintf("198.18.%d.%d", (m.number+1)>>8&255, (m.number+1)&255)
}

// AgentHost returns the address at which the agent listens. If the ramdisk has an SSH server, it listens at the same
// address. For a virtual machine, connections to this address are forwarded.
func (m *Machine) AgentHost() string {
	if m.lab.options.SSHPort == 0 && m.lab.options.Virtual == nil {
		return "127.0.0.1"
	}
	return fmt.Sprintf("127.18.%d.%d", (m.number+1)>>8&255, (m.number+1)&255)
}

// pace returns the speed of this machine, which its scenario may make slower than the lab.
func (m *Machine) pace() pace {
	p := m.lab.options.Speed
	if slower := m.member.Scenario.Slower; slower > 0 {
		p /= slower
	}
	return pace(p)
}

// runRamdisk boots the ramdisk on the medium, and returns when the machine is powered off.
func (m *Machine) runRamdisk(ctx context.Context, _ *machine.Machine, media machine.Media) error {
	defer m.work.Wait()
	m.rescue.Store("")
	config, err := bootConfig(media)
	if err != nil {
		return err
	}
	if m.member.Scenario.NeverBoots {
		return errors.New("kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)")
	}
	m.journal.begin(m.lab.options.Now())
	for _, line := range bootLines(m.Name(), m.member.MACs[0], m.Address(), agentImage) {
		if !m.pace().wait(ctx, ramdiskTime/20) {
			return nil
		}
		m.journal.add(agent.Entry{Time: m.lab.options.Now(), Unit: line.unit, Priority: agent.PriorityInfo, Text: line.text})
	}
	if !m.pace().wait(ctx, ramdiskTime/4) {
		return nil
	}
	m.startServices(ctx, config)
	if config.NoAgent {
		return errors.New("the ramdisk's Ignition configuration has no agent")
	}
	if config.APIURL == "" {
		config.APIURL = m.lab.options.IronicURL
	}
	if config.APIURL == "" {
		return errors.New("the agent has no URL of Ironic")
	}
	return m.runAgent(ctx, config)
}

// startServices starts the ramdisk's services other than the agent. They run until the machine is powered off.
func (m *Machine) startServices(ctx context.Context, config agentConfig) {
	if to, found := ignition.JournalPushIn(config.file); found && slices.Contains(config.Units, pushUnitName) {
		pusher := newPusher(m, to)
		m.lab.serving.Go(func() { pusher.run(ctx) })
	}
	if m.lab.options.SSHPort == 0 {
		return
	}
	if err := m.startSSH(ctx, config); err != nil {
		m.journal.add(agent.Entry{Time: m.lab.options.Now(), Unit: "sshd.service", Priority: agent.PriorityWarning, Text: err.Error()})
	}
}

func (m *Machine) startSSH(ctx context.Context, config agentConfig) error {
	server, err := newSSHServer(m.Name(), &m.journal, ignition.SSHHostKeyIn(config.file), config.LoginKeys)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, net.JoinHostPort(m.AgentHost(), strconv.Itoa(m.lab.options.SSHPort)))
	if err != nil {
		return fmt.Errorf("starting the SSH server: %w", err)
	}
	m.lab.serving.Go(func() { server.serve(ctx, listener) })
	return nil
}

const agentImage = "quay.io/openstack.kolla/ironic-python-agent:latest"

func (m *Machine) runAgent(ctx context.Context, config agentConfig) error {
	o := m.lab.options
	scenario := m.member.Scenario
	if len(o.AgentCommand) > 0 {
		return external.Run(ctx, external.Options{
			Command: o.AgentCommand, Machine: m.Name(), MACs: m.MACs(), IronicURL: config.APIURL,
			Plain: o.PlainAgents, NoInspection: config.NoInspection, Hardware: newHardware(ctx, m, config),
			Journal: m.journal.add, Speed: float64(m.pace()), Faults: scenario.Agent, Now: o.Now,
		})
	}
	version := o.Agent
	if scenario.NewestAgent {
		version = NewestAgent
	}
	options := agent.Options{
		IronicURL: config.APIURL, Client: o.Client, Hardware: newHardware(ctx, m, config), Journal: m.journal.add,
		Listen: net.JoinHostPort(m.AgentHost(), "0"), PlainHTTP: o.PlainAgents,
		NoInspection: config.NoInspection, Fast: m.pace() > 1, Version: version,
		Speed: float64(m.pace()), Faults: scenario.Agent, Simulated: true,
	}
	if err := agent.Run(ctx, options); err != nil {
		return fmt.Errorf("machine %s: %w", m.Name(), err)
	}
	return nil
}

// Durations of operations on the lab's machines at speed 1. They resemble those of a small server with a fast network.
const (
	powerOnTime   = 2 * time.Second
	powerOffTime  = 2 * time.Second
	shutdownTime  = 10 * time.Second
	firmwareTime  = 45 * time.Second
	bmcRestart    = 90 * time.Second
	updateTime    = 60 * time.Second // writing new firmware
	ramdiskTime   = 40 * time.Second // from the start of the kernel to the start of the agent
	installTime   = 80 * time.Second
	assistedTime  = 100 * time.Second
	metadataTime  = 3 * time.Second
	eraseTime     = 60 * time.Second // erasing one whole disk
	imageTime     = 40 * time.Second
	progressLines = 40

	// minBoot is the minimum time that the firmware takes to boot, at any speed. It is needed because a conductor
	// must have reached its wait state before the ramdisk's first call.
	minBoot = 300 * time.Millisecond
)

// pace is the speed of a lab: it divides the durations of real machines.
type pace float64

func (p pace) of(d time.Duration) time.Duration { return time.Duration(float64(d) / float64(p)) }

// wait waits for d divided by the pace, or until ctx is done. It reports whether the wait ended before ctx was done.
func (p pace) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(p.of(d)):
		return ctx.Err() == nil
	}
}
