package vm

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bootTime limits the time until GRUB has booted, even without KVM on a busy computer.
const bootTime = 3 * time.Minute

// grubScript prints a name and obeys commands. It uses the firmware's terminal, which is the serial line, because
// GRUB's serial driver would have to share the input with the firmware.
const grubScript = `set timeout=-1
echo "%s is up"
while true; do
  read order
  echo "order: $order"
  if [ "$order" = "halt" ]; then halt; fi
  if [ "$order" = "reboot" ]; then reboot; fi
done
`

// grubISO creates an image that can boot as a CD and as a disk, and that prints the given name. It returns the
// image's path.
func grubISO(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	root := filepath.Join(folder, "root")
	if err := os.MkdirAll(filepath.Join(root, "boot/grub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "boot/grub/grub.cfg"), fmt.Appendf(nil, grubScript, name), 0o600); err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(folder, name+".iso")
	run(t, "grub-mkrescue", "-d", "/usr/lib/grub/x86_64-efi", "-o", image, root)
	return image
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// line is the serial line of a machine, with the output received so far.
type line struct {
	t    *testing.T
	conn net.Conn
	all  strings.Builder
	read int // the length of the part that expect has used
}

func serialLine(t *testing.T, address string) *line {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &line{t: t, conn: conn}
}

// expect reads from the line until text occurs.
func (l *line) expect(text string) {
	l.t.Helper()
	_ = l.conn.SetReadDeadline(time.Now().Add(bootTime))
	buffer := make([]byte, 4096)
	for {
		if i := strings.Index(l.all.String()[l.read:], text); i >= 0 {
			l.read += i + len(text)
			return
		}
		n, err := l.conn.Read(buffer)
		if err != nil {
			l.t.Fatalf("waiting for %q: %v; output:\n%s", text, err, l.all.String()[l.read:])
		}
		l.all.Write(buffer[:n])
	}
}

// order sends a command to GRUB and waits until GRUB has read it.
func (l *line) order(text string) {
	l.t.Helper()
	if _, err := l.conn.Write([]byte(text + "\r")); err != nil {
		l.t.Fatal(err)
	}
	l.expect("order: " + text)
}

// until waits until ok returns true. The argument what describes the condition in the error message.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bootTime)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("timed out waiting until %s", what)
		case <-tick.C:
		}
	}
}
