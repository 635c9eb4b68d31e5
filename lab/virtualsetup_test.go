package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGuestURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://127.0.0.1:6385": "http://10.0.2.2:6385", "http://localhost:6385/ironic": "http://10.0.2.2:6385/ironic",
		"https://[::1]:6385": "https://10.0.2.2:6385", "http://0.0.0.0:1": "http://10.0.2.2:1", "http://127.0.0.1": "http://10.0.2.2",
		"http://192.0.2.1:6385": "http://192.0.2.1:6385", "https://ironic.example": "https://ironic.example",
	} {
		if got, rewritten := guestURL(in); got != want || rewritten != (in != want) {
			t.Errorf("%s is %s (%v), want %s", in, got, rewritten, want)
		}
	}
}

func TestLabKeyIsKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "id_ed25519")
	first, err := keptKey(file)
	if err != nil {
		t.Fatal(err)
	}
	again, err := keptKey(file)
	if err != nil || again != first || !strings.HasPrefix(first, "ssh-ed25519 ") {
		t.Errorf("got %q, then %q, %v", first, again, err)
	}
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keptKey(file); err == nil {
		t.Error("a damaged key was accepted")
	}
}
