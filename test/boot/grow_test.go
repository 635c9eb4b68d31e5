package boot

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ironworks/ignition/image"
)

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// noise returns the given number of random bytes. They serve as a configuration that cannot be compressed.
func noise(t *testing.T, length int) []byte {
	t.Helper()
	b := make([]byte, length)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGrowWithJoliet adds a large configuration to an image made by xorriso. It checks that the configuration can be
// read through both directory trees of the image: the first, and the second (Joliet), which has long names.
func TestGrowWithJoliet(t *testing.T) {
	tree, path := t.TempDir(), filepath.Join(t.TempDir(), "live.iso")
	for name, content := range map[string][]byte{"coreos/igninfo.json": []byte(`{"file": "images/ignition.img"}`), "images/ignition.img": make([]byte, 256<<10)} {
		if err := os.MkdirAll(filepath.Join(tree, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "xorriso", "-as", "mkisofs", "-R", "-J", "-V", "live", "-o", path, tree).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before, config := readFile(t, path), noise(t, 3_000_000)
	if _, err := image.EditFile(path, image.Change{Ignition: config}); err != nil {
		t.Fatal(err)
	}
	for mode, name := range map[string]string{"any": "/images/ignition.img", "norock": "/images/ignition.img"} {
		copied := filepath.Join(t.TempDir(), "ignition.img")
		out, err := exec.CommandContext(t.Context(), "xorriso", "-read_fs", mode, "-indev", path, "-osirrox", "on", "-extract", name, copied).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", mode, err, out)
		}
		found, err := image.Unwrap(bytes.NewReader(readFile(t, copied)))
		if err != nil || !bytes.Equal(found, config) {
			t.Errorf("%s: %d bytes, %v", mode, len(found), err)
		}
	}
	if _, err := image.EditFile(path, image.Change{RemoveIgnition: true}); err != nil || !bytes.Equal(readFile(t, path), before) {
		t.Errorf("the original image differs: %v", err)
	}
}

// TestSelfContainedISO inspects a machine whose ISO includes the builtin agent, and checks that the machine does not
// fetch the agent. The configuration is stored at the end of the ISO, because it is larger than the ISO's area for
// configurations.
func TestSelfContainedISO(t *testing.T) {
	b := newBench(t, ramdisk{builtin: true, embed: true, memory: smallMemory, keyfile: closedNetwork})
	b.inspect()
	if sent := b.agent.sent.Load(); sent > 0 {
		t.Errorf("the machine fetched %d bytes of the agent", sent)
	}
}
