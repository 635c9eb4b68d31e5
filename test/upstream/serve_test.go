package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ironworks/ignition/serve"
	"ironworks/test/ironic"
)

// conductor is a Python program that looks up and downloads an image with Ironic's code.
const conductor = `
import json, sys
from oslo_config import cfg
from ironic.conf import CONF
from ironic.common import image_service
CONF([], project='ironic', default_config_files=[])
url, target, ca = sys.argv[1:]
if ca:
    CONF.set_override('webserver_verify_ca', ca)
service = image_service.get_image_service(url)
seen = service.show(url)
with open(target, 'wb') as f:
    service.download(url, f)
print(json.dumps({'size': seen['size'], 'no_cache': seen['no_cache'], 'updated_at': str(seen['updated_at'])}))
`

// TestImageService checks that a real conductor's code can download an image over HTTP, and over HTTPS with the
// server's certificate as the CA.
func TestImageService(t *testing.T) {
	python := ironic.Program(t, "python")
	content := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content)
	for name, tls := range map[string]*serve.TLS{"http": nil, "https": {}} {
		t.Run(name, func(t *testing.T) {
			done := make(chan serve.Event, 1)
			server := startServer(t, serve.Options{TLS: tls, OnEvent: func(e serve.Event) {
				if e.Kind == serve.EventDone {
					done <- e
				}
			}})
			path, err := server.Add(isoItem(t, content, time.Date(2026, 7, 1, 10, 20, 30, 0, time.UTC)))
			if err != nil {
				t.Fatal(err)
			}
			dir, ca := t.TempDir(), ""
			if pem := server.Certificate(); pem != nil {
				ca = filepath.Join(dir, "ca.pem")
				if err := os.WriteFile(ca, pem, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			target := filepath.Join(dir, "fetched")
			var stderr bytes.Buffer
			cmd := exec.CommandContext(ctx, python, "-c", conductor, server.URL("127.0.0.1", path), target, ca)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("the conductor's code failed: %v\n%s", err, stderr.String())
			}
			var seen map[string]any
			if err := json.Unmarshal(out, &seen); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := fmt.Sprint(seen["size"], seen["no_cache"], seen["updated_at"]); got != fmt.Sprint(float64(len(content)), true, "2026-07-01 10:20:30") {
				t.Errorf("the conductor sees %v", seen)
			}
			fetched, err := os.ReadFile(target)
			if err != nil || !bytes.Equal(fetched, content) {
				t.Errorf("downloaded %d bytes that differ, error %v", len(fetched), err)
			}
			if f := (<-done).Fetch; f.State != serve.Done || f.Heads < 1 {
				t.Errorf("fetch %+v", f)
			}
		})
	}
}

// startServer starts a server that runs until the test ends.
func startServer(t *testing.T, options serve.Options) *serve.Server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	server, err := serve.Listen(ctx, options)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return server
}

// isoItem returns an ISO item with the given content and modification time, stored in a temporary file.
func isoItem(t *testing.T, content []byte, modified time.Time) serve.Item {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r7-n01.iso")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return serve.Item{Node: "r7-n01", Name: "r7-n01.iso", Kind: serve.ISO, Modified: modified, Open: func(context.Context) (io.ReadSeekCloser, error) {
		return os.Open(path)
	}}
}
