package vm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"ironworks/lab/child"
)

// Reasons in QEMU's SHUTDOWN event (qapi/run-state.json).
const (
	reasonShutdown = "guest-shutdown"
	reasonReset    = "guest-reset"
)

// statusTime is the maximum time that QEMU may take to report why it has paused.
const statusTime = 5 * time.Second

// process is the QEMU process of one boot.
type process struct {
	vm      *VM
	cmd     *exec.Cmd
	stderr  tail
	monitor *qmp
	serving sync.WaitGroup // the goroutine of the serial line

	ended  chan error    // receives the result of the process
	paused chan struct{} // signals that QEMU has stopped the guest

	mu     sync.Mutex
	reason string // reason in the last SHUTDOWN event
}

// Run boots the machine. It returns when the guest has powered off or reset the machine, or when ctx is done, which
// cuts the power. An error means that the machine could not run.
func (v *VM) Run(ctx context.Context, boot Boot) (End, error) {
	unlock, err := lock(v.folder)
	if err != nil {
		return "", fmt.Errorf("starting virtual machine %s: %w", v.spec.Name, err)
	}
	defer unlock()
	// A child gets its death signal when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end, err := v.run(ctx, boot)
	if ctx.Err() != nil {
		return EndCut, nil
	}
	if err != nil {
		return "", fmt.Errorf("running virtual machine %s: %w", v.spec.Name, err)
	}
	return end, nil
}

func (v *VM) run(ctx context.Context, boot Boot) (End, error) {
	if err := v.chooseBoot(boot.Target); err != nil {
		return "", err
	}
	p := &process{vm: v, ended: make(chan error, 1), paused: make(chan struct{}, 1)}
	if err := p.start(ctx, boot); err != nil {
		return "", err
	}
	defer p.close()
	v.monitor.Store(p.monitor)
	defer v.monitor.Store(nil)
	if boot.Started != nil {
		boot.Started()
	}
	for {
		select {
		case err := <-p.ended:
			return p.end(err)
		case <-ctx.Done():
			return EndCut, nil
		case <-p.paused:
			if err := p.whyPaused(ctx); err != nil {
				return "", err
			}
		}
	}
}

func (v *VM) chooseBoot(target Target) error {
	if target == TargetDefault {
		return nil
	}
	mac, err := net.ParseMAC(v.spec.MAC)
	if err != nil {
		return err
	}
	return editVariables(filepath.Join(v.folder, variablesFile), func(s *variableStore) error { return s.bootNext(target, mac) })
}

// start starts QEMU and its monitor. The monitor and the serial line are socket pairs that QEMU inherits, so that no
// other process can open them.
func (p *process) start(ctx context.Context, boot Boot) (err error) {
	v := p.vm
	monitor, farMonitor, err := socketPair("monitor")
	if err != nil {
		return err
	}
	serial, farSerial, err := socketPair("serial line")
	if err != nil {
		return errors.Join(err, monitor.Close(), farMonitor.Close())
	}
	p.cmd = exec.Command(v.host.QEMU, v.spec.arguments(v.host, v.folder, boot, time.Now())...) //nolint:gosec,noctx // killed by close
	p.cmd.ExtraFiles = []*os.File{farMonitor, farSerial}
	p.cmd.Stderr = &p.stderr
	p.cmd.SysProcAttr = child.Attributes()
	err = p.cmd.Start()
	_, _ = farMonitor.Close(), farSerial.Close()
	if err != nil {
		return errors.Join(fmt.Errorf("starting %s: %w", v.host.QEMU, err), monitor.Close(), serial.Close())
	}
	go func() { p.ended <- p.cmd.Wait() }()
	p.serving.Go(func() {
		v.serial.attach(serial)
		_ = serial.Close()
	})
	if p.monitor, err = newQMP(ctx, monitor, p.event); err != nil {
		_ = monitor.Close()
		p.kill()
		return p.withOutput(err)
	}
	return nil
}

// event handles an event from QEMU. The monitor calls it.
func (p *process) event(e qmpEvent) {
	switch e.Event {
	case "SHUTDOWN":
		p.mu.Lock()
		p.reason = e.Data.Reason
		p.mu.Unlock()
	case "STOP":
		select {
		case p.paused <- struct{}{}:
		default:
		}
	}
}

// whyPaused asks QEMU why the guest has paused, and returns an error if the guest cannot continue.
func (p *process) whyPaused(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	var status struct {
		Status string `json:"status"`
	}
	if err := p.monitor.run(ctx, "query-status", nil, &status); err != nil {
		return nil //nolint:nilerr // QEMU ends, and that is reported
	}
	switch status.Status {
	case "internal-error":
		return p.withOutput(errors.New("the accelerator cannot run the guest's code (internal-error)"))
	case "io-error":
		return errors.New("QEMU cannot write to a disk image: is the disk of this computer full?")
	}
	return nil
}

// end determines how the boot has ended, from the result of the process and the last event.
func (p *process) end(err error) (End, error) {
	p.ended <- err   // close waits for this value
	<-p.monitor.done // the last event has been delivered
	p.mu.Lock()
	reason := p.reason
	p.mu.Unlock()
	switch reason {
	case reasonShutdown:
		return EndPowerOff, nil
	case reasonReset:
		return EndReset, nil
	}
	if err == nil {
		err = errors.New("QEMU ended")
	}
	if reason != "" {
		err = fmt.Errorf("%w (%s)", err, reason)
	}
	return "", p.withOutput(err)
}

// withOutput adds QEMU's error output to an error.
func (p *process) withOutput(err error) error {
	if text := p.stderr.String(); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended //nolint:errcheck // how a killed process ends is known
	p.serving.Wait()
}

// close ends QEMU, if it still runs, and waits until it has exited.
func (p *process) close() {
	p.kill()
	_ = p.monitor.close()
}

// tail is an [io.Writer] that keeps the end of its input.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append([]byte(nil), t.text[extra:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(bytes.TrimSpace(t.text)), "\ufffd")
}

// socketPair returns a connection and its other end, which is a file that a child process can inherit.
func socketPair(name string) (near net.Conn, far *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket for the %s: %w", name, err)
	}
	ours := os.NewFile(uintptr(fds[0]), name) //nolint:gosec // a descriptor
	far = os.NewFile(uintptr(fds[1]), name)   //nolint:gosec // a descriptor
	near, err = net.FileConn(ours)            // a copy
	_ = ours.Close()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("making a socket for the %s: %w", name, err), far.Close())
	}
	return near, far, nil
}

// errInUse reports that the machine is running, or that another process works on its disks.
var errInUse = errors.New("the virtual machine is powered on, or another ironworks uses its disks")

// lock locks the machine's files against other processes.
func lock(folder string) (unlock func(), err error) {
	file := flock.New(filepath.Join(folder, "lock"), flock.SetPermissions(0o600))
	locked, err := file.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking: %w", err)
	case !locked:
		return nil, errInUse
	}
	return func() { _ = file.Unlock() }, nil
}
