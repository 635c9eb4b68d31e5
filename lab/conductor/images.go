package conductor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ironworks/lab/conductor/requests"
	"ironworks/lab/db"
)

// imageStore publishes boot media, like the redfish folder in [deploy]http_root. It downloads a medium again only if it
// has changed. Nodes share files, but each node has a URL of its own.
type imageStore struct {
	c *Conductor

	mu        sync.Mutex
	dir       string            // the temporary folder of the files, or "" before the first download
	fetched   map[string]*image // downloaded images, by their original URL
	published map[string]string // paths of the served files, by the names under which they are published
}

// image is an image that the store has downloaded to a file.
type image struct {
	mu       sync.Mutex // held during the download
	path     string
	modified string // Last-Modified header of the original
}

// Images returns the handler for [Options].HTTPURL, which serves the published media.
func (c *Conductor) Images() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _ := strings.CutPrefix(r.URL.Path, "/redfish/")
		c.images.mu.Lock()
		path := c.images.published[name]
		c.images.mu.Unlock()
		if path == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-iso9660-image")
		http.ServeFile(w, r, path)
	})
}

// bootImage returns the name under which the node's boot medium is published.
func bootImage(node string) string { return "boot-" + node + ".iso" }

// mediaImage returns the name under which a medium is published after a client has attached it to the given device.
func mediaImage(node, device string) string {
	if device == "cdrom" {
		return device + "-" + node + ".iso"
	}
	return device + "-" + node + ".img"
}

// publish publishes the image at address, which it downloads first if needed, and returns its URL for the BMC.
func (s *imageStore) publish(ctx context.Context, n *db.Node, name, address string) (string, error) {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return "", badImage(address, "Image download protocol %s is not supported.", strings.SplitN(address, ":", 2)[0])
	}
	s.mu.Lock()
	known := s.fetched[address]
	if known == nil {
		known = &image{}
		s.fetched[address] = known
	}
	s.mu.Unlock()
	path, err := s.fetch(ctx, known, address)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published[name] = path
	root := s.c.options.HTTPURL
	if external := n.DriverInfo.Text("external_http_url"); external != "" {
		root = strings.TrimRight(external, "/")
	}
	return root + "/redfish/" + name, nil
}

func (s *imageStore) unpublish(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		delete(s.published, name)
	}
}

// fetch returns the path of the image at address, which it downloads first if it is missing or has changed.
func (s *imageStore) fetch(ctx context.Context, known *image, address string) (string, error) {
	known.mu.Lock()
	defer known.mu.Unlock()
	header, err := s.head(ctx, address)
	if err != nil {
		return "", err
	}
	modified := header.Get("Last-Modified")
	if known.path != "" && known.modified == modified {
		return known.path, nil
	}
	dir, err := s.folder()
	if err != nil {
		return "", err
	}
	response, err := s.ask(ctx, http.MethodGet, address)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	sum := sha256.Sum256([]byte(address + modified))
	path := filepath.Join(dir, hex.EncodeToString(sum[:8])+".iso")
	if err := replaceFile(path, response.Body); err != nil {
		return "", downloadFailure(address, err)
	}
	known.path, known.modified = path, modified
	return path, nil
}

// head checks that the image at address can be downloaded, and returns its HTTP header.
func (s *imageStore) head(ctx context.Context, address string) (http.Header, error) {
	response, err := s.ask(ctx, http.MethodHead, address)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	return response.Header, nil
}

func (s *imageStore) ask(ctx context.Context, method, address string) (*http.Response, error) {
	var response *http.Response
	request, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		err = fmt.Errorf("preparing the request: %w", err)
	} else if response, err = s.c.options.Client.Do(request); err != nil {
		err = requests.ConnectionError(err, request.URL)
	}
	switch {
	case err != nil && method == http.MethodGet:
		return nil, downloadFailure(address, err)
	case err != nil:
		return nil, badImage(address, "%v", err)
	case response.StatusCode != http.StatusOK:
		_ = response.Body.Close()
		return nil, badImage(address, "Got HTTP code %d instead of 200 in response to %s request.", response.StatusCode, method)
	}
	return response, nil
}

func downloadFailure(address string, err error) error {
	return failure("ImageDownloadFailed", "Failed to download image %s, reason: %v", address, err)
}

// badImage returns the error for an image that cannot be used for the given reason.
func badImage(address, reason string, args ...any) error {
	return failure("ImageRefValidationFailed", "Validation of image href %s failed, reason: "+reason, append([]any{address}, args...)...)
}

func (s *imageStore) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "lab-images-")
		if err != nil {
			return "", fmt.Errorf("making a folder for images: %w", err)
		}
		s.dir = dir
	}
	return s.dir, nil
}

// replaceFile replaces the file at path atomically. Clients that are reading the old file can finish.
func replaceFile(path string, content io.Reader) error {
	file, err := os.CreateTemp(filepath.Dir(path), "fetching-")
	if err != nil {
		return fmt.Errorf("making a file: %w", err)
	}
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return fmt.Errorf("writing the image: %w", err)
	}
	return nil
}

// close removes the downloaded files.
func (s *imageStore) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}
