// Package images queries web servers and container registries about disk images and boot files. It trusts neither: it
// limits the time and the size of the answers.
package images

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/models/plan"
	"ironworks/printable"
)

// Web queries web servers over HTTP. It does not trust the servers: it limits the size of headers and bodies and the
// number of redirects. The caller limits the time with the context.
type Web struct{ client *http.Client }

const (
	maxRedirects   = 10
	maxHeaderBytes = 64 << 10
)

// NewWeb returns a Web that uses the proxies set in the environment.
func NewWeb() *Web {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: maxHeaderBytes,
		// Do not keep connections open, because only a few requests are sent to each server.
		DisableKeepAlives: true,
	}
	return &Web{client: &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		case r.URL.Scheme != "http" && r.URL.Scheme != "https":
			return errors.New("redirect to a URL that is not HTTP")
		}
		return nil
	}}}
}

// Head requests only the headers.
func (w *Web) Head(ctx context.Context, address string) (Answer, error) {
	a, _, err := w.do(ctx, http.MethodHead, address, 0, false)
	return a, err
}

// Get returns the start of the body, up to most bytes. If part is true, it requests only these bytes.
func (w *Web) Get(ctx context.Context, address string, most int, part bool) (Answer, []byte, error) {
	return w.do(ctx, http.MethodGet, address, most, part)
}

func (w *Web) do(ctx context.Context, method, address string, most int, part bool) (Answer, []byte, error) {
	// Canceling this context ends the transfer of the rest of the body.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return Answer{}, nil, err
	}
	if part {
		req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", most-1))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return Answer{}, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	a := Answer{Status: resp.StatusCode, Length: resp.ContentLength, Total: resp.ContentLength}
	if landed := resp.Request.URL.String(); landed != req.URL.String() {
		a.FinalURL = landed
	}
	if resp.StatusCode == http.StatusPartialContent {
		a.Total = totalOf(resp.Header.Get("Content-Range"))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)))
	if err != nil {
		return Answer{}, nil, err
	}
	return a, body, nil
}

// totalOf returns the total size in a Content-Range header such as "bytes 0-511/1024", or -1.
func totalOf(header string) int64 {
	_, total, _ := strings.Cut(header, "/")
	n, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// Servers are web servers with images; *[Web] queries them over HTTP. It follows redirects, and returns the last
// answer. An error means that there was no answer.
type Servers interface {
	// Head requests only the headers.
	Head(ctx context.Context, address string) (Answer, error)
	// Get reads the start of the body, up to most bytes. If part is true, it requests only these bytes.
	Get(ctx context.Context, address string, most int, part bool) (Answer, []byte, error)
}

// Answer describes the response of a web server.
type Answer struct {
	Status int
	// Length is the size of the body. If the body is only a part of the file, Total is the size of the whole file.
	// Both are in bytes, or -1 if unknown.
	Length, Total int64
	// FinalURL is the address after redirects. It is empty if there was no redirect.
	FinalURL string
}

// The limits of requests to web servers.
const (
	// webTimeout is the maximum time to wait for an answer.
	webTimeout = 10 * time.Second
	// maxChecksumBytes limits what is read from a checksum file. Those of Debian's releases have 60 KiB.
	maxChecksumBytes = 1 << 20
	// imageHeadBytes is the number of bytes that are read from an image. Its format and size are at the start.
	imageHeadBytes = 512
)

// webFault returns the reason why a web server did not answer. It omits the address, which may contain secrets.
func webFault(err error) string {
	if of, is := errors.AsType[*url.Error](err); is {
		err = of.Err // without the address
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %s", webTimeout)
	}
	return printable.Line(err.Error())
}

// queryWeb calls send with a time limit. If there was no answer, the returned answer contains the error.
func queryWeb(ctx context.Context, send func(ctx context.Context) (Answer, error)) plan.WebAnswer {
	ctx, cancel := context.WithTimeout(ctx, webTimeout)
	defer cancel()
	a, err := send(ctx)
	if err != nil {
		return plan.WebAnswer{Error: webFault(err)}
	}
	return plan.WebAnswer{Status: a.Status, Length: a.Length, FinalURL: printable.Line(models.MaskURL(a.FinalURL))}
}

// queryStart requests the headers of the file at address and, if there is such a file, up to most bytes of its start.
// total is the size of the file that the response with the start reports, or -1 if it is unknown.
func queryStart(ctx context.Context, web Servers, address string, most int) (answer plan.WebAnswer, head []byte, total int64) {
	total = -1
	answer = queryWeb(ctx, func(ctx context.Context) (Answer, error) { return web.Head(ctx, address) })
	if answer.Error != "" || answer.Status/100 != 2 {
		return answer, nil, total
	}
	queryWeb(ctx, func(ctx context.Context) (Answer, error) {
		a, text, err := web.Get(ctx, address, most, true)
		if err == nil && a.Status/100 == 2 {
			head, total = text, a.Total
		}
		return a, err
	})
	return answer, head, total
}

// Query queries a web server about an image and about its checksum file, if any.
func Query(ctx context.Context, web Servers, image plan.Image) *plan.ImageFacts {
	f := &plan.ImageFacts{}
	f.Image, f.Head, f.HeadTotal = queryStart(ctx, web, image.Source, imageHeadBytes)
	if file := (plan.BootFile{Address: image.Checksum}); !file.OnTheWeb() {
		return f
	}
	c := &plan.ChecksumFile{}
	c.WebAnswer = queryWeb(ctx, func(ctx context.Context) (Answer, error) {
		a, text, err := web.Get(ctx, image.Checksum, maxChecksumBytes+1, false)
		c.Text, c.Cut = string(text[:min(len(text), maxChecksumBytes)]), len(text) > maxChecksumBytes
		return a, err
	})
	f.Checksums = c
	return f
}

// Registries are container registries; [Registry] queries them over HTTPS.
type Registries interface {
	// Artifact reports whether the reference names a disk image rather than a bootable container. Its errors come
	// from oras: errdef.ErrNotFound, or an *errcode.ErrorResponse.
	Artifact(ctx context.Context, r plan.OCIReference) (bool, error)
}

// Registry queries registries without credentials, because Ironic masks the pull secret of a node.
type Registry struct {
	// PlainHTTP uses http instead of https, like Ironic with [oci]permit_fallback_to_http_transport.
	PlainHTTP bool
}

const maxManifestBytes = 4 << 20

// Artifact reads the manifest and reports whether it describes an artifact. It applies the rules of
// identify_specific_image in ironic/common/image_service.py (39.0).
func (g Registry) Artifact(ctx context.Context, r plan.OCIReference) (bool, error) {
	client := &auth.Client{Client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: maxHeaderBytes, DisableKeepAlives: true}}}
	repository := &remote.Repository{
		Client: client, Reference: registry.Reference{Registry: r.Registry, Repository: r.Repository}, PlainHTTP: g.PlainHTTP, MaxMetadataBytes: maxManifestBytes,
	}
	found, body, err := repository.FetchReference(ctx, cmp.Or(r.Digest, r.Tag))
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
	return slices.ContainsFunc(document.Manifests, func(m ocispec.Descriptor) bool {
		return m.Annotations["disktype"] != "" || m.ArtifactType != ""
	}), nil
}

// QueryFile requests the headers and the start of the file at address. total is the size of the file in bytes, or
// negative if it is unknown.
func QueryFile(ctx context.Context, web Servers, address string) (answer plan.WebAnswer, head []byte, total int64) {
	answer, head, total = queryStart(ctx, web, address, doctor.BootFileHead)
	if answer.Error == "" && answer.Status/100 == 2 && answer.Length >= 0 {
		total = answer.Length
	}
	return answer, head, total
}

// QueryRegistry queries a registry about an image.
func QueryRegistry(ctx context.Context, registries Registries, image plan.OCIReference) *plan.RegistryFacts {
	ctx, cancel := context.WithTimeout(ctx, webTimeout)
	defer cancel()
	artifact, err := registries.Artifact(ctx, image)
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
