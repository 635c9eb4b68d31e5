package external

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ironworks/agent"
	"ironworks/lab/child"
)

// Options holds the settings of the program and its machine.
type Options struct {
	// Command is the program and its arguments. Required.
	Command []string
	// Machine is the machine's name, and MACs are the addresses of its network interfaces.
	Machine string
	MACs    []string
	// IronicURL is the URL at which the program reaches Ironic.
	IronicURL string
	// Plain reports whether Ironic expects an agent without TLS, and NoInspection whether the ramdisk does not inspect.
	Plain, NoInspection bool
	// Hardware is the machine on which the program works. Required.
	Hardware agent.Hardware
	// Journal receives every line of the program's output. Required.
	Journal func(agent.Entry)
	// Speed divides pauses; zero means 1.
	Speed  float64
	Faults agent.Faults
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

const (
	unit       = "ironic-agent.service"
	systemUnit = "init.scope"
	// grace is the time that a program has to exit after a power-off. On a real machine, it has none.
	grace = time.Second
	// leftOutput is the time that output may take to arrive after the last process has ended.
	leftOutput = time.Second
	// defaultDieAfter is the default time that a step runs before the agent dies in it.
	defaultDieAfter = 2 * time.Second
	longestLine     = 1 << 20
	// nowhere is the URL that a machine without a route to Ironic receives instead of Ironic's.
	nowhere = "http://127.0.0.1:1"
)

// errExited reports that the program ended although the machine was not powered off.
var errExited = errors.New("the agent ended")

// Run runs the program until ctx is done, and then returns nil. All processes of the program have then ended.
func Run(ctx context.Context, o Options) error {
	if len(o.Command) == 0 || o.Hardware == nil || o.Journal == nil {
		return errors.New("external agent: no command, no hardware or no journal")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Speed, o.Faults.DieAfter = cmp.Or(o.Speed, 1), cmp.Or(o.Faults.DieAfter, defaultDieAfter)
	running, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	s, err := startService(running, o, func() { kill(agent.ErrDied) })
	if err != nil {
		return fmt.Errorf("external agent: %w", err)
	}
	defer s.close()
	defer kill(nil)
	o.say(systemUnit, "Started "+unit+" - Ironic Agent.")
	err = o.run(running, s.url)
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(context.Cause(running), agent.ErrDied):
		o.say(systemUnit, unit+": Main process exited, code=killed, status=9/KILL")
		return fmt.Errorf("external agent: %w", agent.ErrDied)
	case err == nil:
		o.say(systemUnit, unit+": Deactivated successfully.")
		return fmt.Errorf("external agent: %w", errExited)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		o.say(systemUnit, fmt.Sprintf("%s: Main process exited, code=exited, status=%d/FAILURE", unit, exit.ExitCode()))
	}
	o.say(systemUnit, unit+": Failed with result 'exit-code'.")
	return fmt.Errorf("external agent: %w: %w", errExited, err)
}

func (o Options) say(unit, text string) {
	o.Journal(agent.Entry{Time: o.Now(), Unit: unit, Priority: agent.PriorityInfo, Text: text})
}

// run starts the program and waits until all of its processes have ended.
func (o Options) run(ctx context.Context, url string) error {
	output, input, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("starting %s: %w", o.Command[0], err)
	}
	var reading sync.WaitGroup
	reading.Go(func() { o.copyLines(output) })
	defer reading.Wait()
	defer func() { _ = output.Close() }()

	cmd := exec.Command(o.Command[0], o.Command[1:]...) //nolint:gosec,noctx // the user's own; its whole group is ended below
	cmd.Env = o.environment(url)
	cmd.Stdout, cmd.Stderr = input, input
	cmd.SysProcAttr = child.Attributes()
	if err := errors.Join(cmd.Start(), input.Close()); err != nil {
		return fmt.Errorf("starting %s: %w", o.Command[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = endGroup(cmd, ended)
	}
	killGroup(cmd) // ends the child processes that the program left behind
	// A process that has left the group may hold the pipe forever.
	_ = output.SetReadDeadline(time.Now().Add(leftOutput))
	reading.Wait()
	return err
}

// endGroup sends SIGTERM to the program's process group, and SIGKILL if it has not ended after the grace period.
func endGroup(cmd *exec.Cmd, ended <-chan error) error {
	terminateGroup(cmd)
	select {
	case err := <-ended:
		return err
	case <-time.After(grace):
		killGroup(cmd)
		return <-ended
	}
}

// copyLines copies the program's output to the journal.
func (o Options) copyLines(output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		o.say(unit, strings.ToValidUTF8(lines.Text(), "\ufffd"))
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		o.say(unit, "(the agent wrote a line of more than a mebibyte; what follows is lost)")
		_, _ = io.Copy(io.Discard, output)
	}
}

// environment returns the environment of this process, plus the machine's variables. It leaves out the variables of
// OpenStack and ironworks, because they may contain the operator's credentials, which no real agent has.
func (o Options) environment(url string) []string {
	ironic := o.IronicURL
	if o.Faults.NoRoute {
		ironic = nowhere
	}
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "OS_") || strings.HasPrefix(variable, "IRONWORKS_")
	})
	env = append(env,
		"IRONWORKS_MACHINE="+o.Machine,
		"IRONWORKS_MACS="+strings.Join(o.MACs, " "),
		"IRONWORKS_IRONIC_URL="+ironic,
		"IRONWORKS_SPEED="+strconv.FormatFloat(o.Speed, 'g', -1, 64),
		"IRONWORKS_HARDWARE_URL="+url,
	)
	if o.Plain {
		env = append(env, "IRONWORKS_PLAIN=1")
	}
	if o.NoInspection {
		env = append(env, "IRONWORKS_NO_INSPECTION=1")
	}
	return env
}
