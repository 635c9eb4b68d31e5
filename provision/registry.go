package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"ironworks/models/plan"
)

// ImageRegistry queries container registries about images; [Registry] does so over HTTPS.
type ImageRegistry interface {
	// Artifact reports whether the reference names a disk image rather than a bootable container. Its errors come
	// from oras: errdef.ErrNotFound, or an *errcode.ErrorResponse.
	Artifact(ctx context.Context, r plan.OCIReference) (bool, error)
}

// Registry queries registries without credentials, because Ironic masks the pull secret of a node.
type Registry struct {
	// PlainHTTP uses http instead of https, like Ironic with [oci]permit_fallback_to_http_transport.
	PlainHTTP bool
}

// maxManifestBytes is the maximum size of a manifest in bytes.
const maxManifestBytes = 4 << 20

// Artifact reads the manifest and reports whether it describes an artifact. It applies the rules of
// identify_specific_image in ironic/common/image_service.py (39.0).
func (g Registry) Artifact(ctx context.Context, r plan.OCIReference) (bool, error) {
	client := &auth.Client{Client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: maxHeaderBytes, DisableKeepAlives: true}}}
	repository := &remote.Repository{
		Client: client, Reference: registry.Reference{Registry: r.Registry, Repository: r.Repository}, PlainHTTP: g.PlainHTTP, MaxMetadataBytes: maxManifestBytes,
	}
	named := r.Tag
	if r.Digest != "" {
		named = r.Digest
	}
	found, body, err := repository.FetchReference(ctx, named)
	if err != nil {
		return false, fmt.Errorf("read the manifest of %s/%s: %w", r.Registry, r.Repository, err)
	}
	defer func() { _ = body.Close() }()
	if found.Size > maxManifestBytes {
		return false, fmt.Errorf("the manifest of %s/%s has %d bytes", r.Registry, r.Repository, found.Size)
	}
	raw, err := content.ReadAll(body, found)
	if err != nil {
		return false, fmt.Errorf("read the manifest of %s/%s: %w", r.Registry, r.Repository, err)
	}
	var document struct {
		ocispec.Manifest
		Manifests []ocispec.Descriptor `json:"manifests"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return false, fmt.Errorf("the manifest of %s/%s is not valid JSON: %w", r.Registry, r.Repository, err)
	}
	if r.Digest != "" || len(document.Manifests) == 0 {
		return document.ArtifactType != "" || document.Config.MediaType == ocispec.MediaTypeEmptyJSON || document.Annotations["disktype"] != "", nil
	}
	for _, m := range document.Manifests {
		if m.Annotations["disktype"] != "" || m.ArtifactType != "" {
			return true, nil
		}
	}
	return false, nil
}

// registryOf queries the registry about the oci:// image of a deployment. It returns nil if there is no such image,
// or if registries are not queried.
func (p *Preflighter) registryOf(ctx context.Context, f *plan.Facts) *plan.RegistryFacts {
	r, is := f.RegistryImage()
	if !is || p.Registry == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, webTimeout)
	defer cancel()
	artifact, err := p.Registry.Artifact(ctx, r)
	var answer *errcode.ErrorResponse
	switch {
	case err == nil:
		return &plan.RegistryFacts{Artifact: artifact}
	case errors.Is(err, errdef.ErrNotFound):
		return &plan.RegistryFacts{Missing: true}
	case errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		return &plan.RegistryFacts{Closed: true}
	}
	return &plan.RegistryFacts{Error: webFault(err)}
}
