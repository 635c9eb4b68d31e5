package prepare

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
)

// hostname matches labels separated by dots (RFC 1123).
var hostname = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)

// WithHostname adds a hostname to a configuration that was not built here. It returns a new configuration that writes
// /etc/hostname and merges config. If config sets its own hostname, that one takes precedence. The result requires
// spec 3.1, which Ignition has supported since 2020.
func WithHostname(config []byte, name string) ([]byte, error) {
	if len(name) > 253 || !hostname.MatchString(name) {
		return nil, fmt.Errorf("%q is not a valid hostname", name)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(config) // writing to a buffer always succeeds
	_ = z.Close()
	child := map[string]any{"compression": "gzip", "source": "data:;base64," + base64.StdEncoding.EncodeToString(packed.Bytes())}
	file := map[string]any{
		"path": "/etc/hostname", "mode": 0o644, "overwrite": true,
		"contents": map[string]any{"source": "data:;base64," + base64.StdEncoding.EncodeToString([]byte(name+"\n"))},
	}
	return json.Marshal(map[string]any{
		"ignition": map[string]any{"version": "3.1.0", "config": map[string]any{"merge": []any{child}}},
		"storage":  map[string]any{"files": []any{file}},
	})
}
