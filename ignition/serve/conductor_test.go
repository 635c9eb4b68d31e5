package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ironworks/ignition/serve"
	"ironworks/test/ironic"
)

// conductor is how Ironic's own code looks at an image and downloads it.
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

// TestConductor has the code of a real conductor fetch an image, by HTTP and by HTTPS
// with our certificate as its authority.
func TestConductor(t *testing.T) {
	python := ironic.Program(t, "python")
	content := bytesOf(3 << 20)
	for name, tls := range map[string]*serve.TLS{"http": nil, "https": {}} {
		t.Run(name, func(t *testing.T) {
			r := start(t, serve.Options{TLS: tls, Clock: &clock{now: time.Now()}})
			item := onDisk(t, "r7-n01.iso", content)
			item.Modified = time.Date(2026, 7, 1, 10, 20, 30, 0, time.UTC)
			dir, ca := t.TempDir(), ""
			if pem := r.Certificate(); pem != nil {
				ca = filepath.Join(dir, "ca.pem")
				if err := os.WriteFile(ca, pem, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			target := filepath.Join(dir, "fetched")
			var said bytes.Buffer
			cmd := exec.CommandContext(ctx, python, "-c", conductor, r.add(t, item), target, ca)
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("the conductor cannot fetch it: %v\n%s", err, said.String())
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
				t.Errorf("%d other bytes, error %v", len(fetched), err)
			}
			if f := r.wait(t, serve.EventDone).Fetch; f.State != serve.Done || f.Heads < 1 {
				t.Errorf("fetch %+v", f)
			}
		})
	}
}
