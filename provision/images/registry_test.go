package images_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"oras.land/oras-go/v2/errdef"

	"ironworks/models/plan"
	"ironworks/provision/images"
)

const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	indexType    = "application/vnd.oci.image.index.v1+json"
	layer        = `{"mediaType": "application/octet-stream", "size": 1, "digest": "sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"}`
)

// errAny is expected by tests that accept any error.
var errAny = errors.New("any error")

// TestRegistryKinds checks all kinds of manifests that Ironic's identify_specific_image distinguishes.
func TestRegistryKinds(t *testing.T) {
	t.Parallel()
	container := `{"schemaVersion": 2, "mediaType": "` + manifestType + `", "config": {"mediaType": "application/vnd.oci.image.config.v1+json"}, "layers": [` + layer + `, ` + layer + `]}`
	oras := `{"schemaVersion": 2, "mediaType": "` + manifestType + `", "config": {"mediaType": "application/vnd.oci.empty.v1+json"}, "layers": [` + layer + `]}`
	artifact := `{"schemaVersion": 2, "mediaType": "` + manifestType + `", "artifactType": "application/x-disk", "config": {"mediaType": "x/y"}, "layers": [` + layer + `]}`
	index := func(entries string) string {
		return `{"schemaVersion": 2, "mediaType": "` + indexType + `", "manifests": [` + entries + `]}`
	}
	entry := func(more string) string {
		return `{"mediaType": "` + manifestType + `", "size": 1, "digest": "sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"` + more + `}`
	}
	for name, tt := range map[string]struct {
		status   int
		kind     string
		manifest string
		artifact bool
		err      error
	}{
		"a container":                      {200, manifestType, container, false, nil},
		"an artifact of ORAS":              {200, manifestType, oras, true, nil},
		"an artifact by its type":          {200, manifestType, artifact, true, nil},
		"an index of containers":           {200, indexType, index(entry("") + "," + entry(`, "platform": {"architecture": "arm64", "os": "linux"}`)), false, nil},
		"an index with a disk image":       {200, indexType, index(entry("") + "," + entry(`, "annotations": {"disktype": "qcow2"}`)), true, nil},
		"an index with an artifact":        {200, indexType, index(entry(`, "artifactType": "application/x-disk"`)), true, nil},
		"nothing":                          {404, "", "", false, errdef.ErrNotFound},
		"what is no manifest":              {200, manifestType, "hello", false, errAny},
		"a registry that fails":            {500, "", "", false, errAny},
		"a registry that wants a password": {401, "", "", false, errAny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/v2/os/image/manifests/") {
					t.Errorf("asked for %s", r.URL.Path)
				}
				w.Header().Set("Content-Type", tt.kind)
				w.Header().Set("Docker-Content-Digest", fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(tt.manifest))))
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.manifest))
			}))
			t.Cleanup(server.Close)
			r := plan.OCIReference{Registry: strings.TrimPrefix(server.URL, "http://"), Repository: "os/image", Tag: "1"}
			artifact, err := images.Registry{PlainHTTP: true}.Artifact(t.Context(), r)
			switch {
			case tt.err == nil && (err != nil || artifact != tt.artifact):
				t.Errorf("artifact %v, error %v", artifact, err)
			case tt.err != nil && (err == nil || !errors.Is(tt.err, errAny) && !errors.Is(err, tt.err)):
				t.Errorf("error %v, want %v", err, tt.err)
			}
		})
	}
}
