package boot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/lab/vm"
	"ironworks/test/ironic"
	"ironworks/test/program"
)

// guestURL converts address, a URL on this host, to the URL at which the machine can reach it.
func guestURL(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = vm.HostAddress.String() + ":" + u.Port()
	return u.String()
}

// program returns a command that runs the program with the bench's Ironic.
func (b *bench) program(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.t.Context(), program.Path(), args...)
	cmd.Env = program.Env("PATH="+os.Getenv("PATH"), "HOME="+b.home, "IRONWORKS_URL="+b.ironic.URL)
	if b.ironic.CACert != "" {
		cmd.Env = append(cmd.Env, "IRONWORKS_CACERT="+b.ironic.CACert)
	}
	return cmd
}

// run runs cmd and returns its exit code and output.
func (b *bench) run(cmd *exec.Cmd) (code int, stdout, stderr string) {
	b.t.Helper()
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), complaints.String()
}

// ironworks runs the program, which must succeed, and returns its standard output.
func (b *bench) ironworks(args ...string) string {
	b.t.Helper()
	code, stdout, stderr := b.run(b.program(args...))
	if code != 0 {
		b.t.Fatalf("ironworks %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// running is an instance of the program that runs in the background.
type running struct {
	b              *bench
	cmd            *exec.Cmd
	stdout, stderr *os.File
	ended          chan error
}

// start starts the program in the background and interrupts it when the test ends. If the test has failed, the output
// is logged.
func (b *bench) start(args ...string) *running { return b.startCommand(b.program(args...)) }

func (b *bench) startCommand(cmd *exec.Cmd) *running {
	b.t.Helper()
	r := &running{b: b, cmd: cmd, ended: make(chan error, 1)}
	folder := b.t.TempDir()
	for name, file := range map[string]**os.File{"stdout": &r.stdout, "stderr": &r.stderr} {
		opened, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			b.t.Fatal(err)
		}
		*file = opened
	}
	cmd.Stdout, cmd.Stderr = r.stdout, r.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	go func() { r.ended <- cmd.Wait() }()
	b.t.Cleanup(func() {
		r.interrupt()
		_, _ = r.stdout.Close(), r.stderr.Close()
		if b.t.Failed() {
			b.t.Logf("ironworks %s:\n%s", strings.Join(cmd.Args[1:], " "), r.printed())
		}
	})
	return r
}

// interrupt sends SIGINT, as Ctrl-C does, and waits for the program to exit.
func (r *running) interrupt() {
	_ = r.cmd.Process.Signal(os.Interrupt)
	r.ended <- <-r.ended
}

// printed returns the output so far: standard output, then standard error.
func (r *running) printed() string {
	stdout, _ := os.ReadFile(r.stdout.Name())
	stderr, _ := os.ReadFile(r.stderr.Name())
	return string(stdout) + string(stderr)
}

// waitOutput waits until the program has printed text.
func (r *running) waitOutput(text string) {
	r.b.t.Helper()
	r.b.poll("the program prints "+text, func() bool { return strings.Contains(r.printed(), text) })
}

// waitSuccess waits for the program to exit with code 0.
func (r *running) waitSuccess() {
	r.b.t.Helper()
	select {
	case err := <-r.ended:
		r.ended <- err
		if err != nil {
			r.b.t.Fatalf("ironworks %s: %v\n%s", strings.Join(r.cmd.Args[1:], " "), err, r.printed())
		}
	case <-time.After(patience):
		r.b.t.Fatalf("ironworks %s: timed out waiting for exit:\n%s", strings.Join(r.cmd.Args[1:], " "), r.printed())
	}
}

// poll waits until ok returns true.
func (b *bench) poll(what string, ok func() bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	if err := ironic.Poll(ctx, 200*time.Millisecond, func(context.Context) (bool, error) { return ok(), nil }); err != nil {
		b.t.Fatalf("waiting until %s: %v", what, err)
	}
}

// serving is the first line of `ignition serve -o json`.
type serving struct {
	Targets []struct {
		ISO    string `json:"deploy_iso"`
		Kernel string `json:"deploy_kernel"`
		Initrd string `json:"deploy_ramdisk"`
		Params string `json:"kernel_append_params"`
	} `json:"targets"`
}

// serve runs `ignition serve` for the machine until the test ends.
func (b *bench) serve(args ...string) serving {
	b.t.Helper()
	args = append([]string{"ignition", "serve", b.uuid(), "--iso", b.images.ISO, "--per-node", "-o", "json"}, args...)
	r := b.start(append(args, b.ramdiskFlags()...)...)
	r.waitOutput(`"targets"`)
	var s serving
	line, _, _ := strings.Cut(r.printed(), "\n")
	if err := json.Unmarshal([]byte(line), &s); err != nil || len(s.Targets) != 1 {
		b.t.Fatalf("serve printed %q: %v", line, err)
	}
	return s
}
