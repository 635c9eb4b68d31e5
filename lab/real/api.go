package real

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Do calls the API as the administrator, with the newest version of the
// release. The path begins with /v1; a body is sent as JSON unless nil.
func (s *Server) Do(ctx context.Context, method, path string, body any) (status int, response []byte, err error) {
	return s.DoVersion(ctx, "1."+strconv.Itoa(s.Release.maxMinor), method, path, body)
}

// DoVersion is Do with another API version; an empty one sends no header.
func (s *Server) DoVersion(ctx context.Context, version, method, path string, body any) (status int, response []byte, err error) {
	var content []byte
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return 0, nil, fmt.Errorf("encoding the body of %s %s: %w", method, path, err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, fmt.Errorf("preparing %s %s: %w", method, path, err)
	}
	if version != "" {
		request.Header.Set(VersionHeader, version)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if err := s.authenticate(request); err != nil {
		return 0, nil, fmt.Errorf("authenticating %s %s: %w", method, path, err)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("calling Ironic: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	response, err = io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, fmt.Errorf("reading the answer of %s %s: %w", method, path, err)
	}
	return answer.StatusCode, response, nil
}

// Client is an HTTP client that trusts the server's certificate and sends no
// credentials.
func (s *Server) Client() *http.Client { return s.client }

// authenticate adds the administrator's credentials.
func (s *Server) authenticate(request *http.Request) error {
	switch s.auth {
	case NoAuth:
	case HTTPBasic:
		request.SetBasicAuth(s.Username, s.Password)
	case KeystoneAuth:
		token, err := s.adminToken(request.Context())
		if err != nil {
			return err
		}
		request.Header.Set("X-Auth-Token", token)
	}
	return nil
}

// adminToken keeps a token for as long as it is good.
func (s *Server) adminToken(ctx context.Context) (string, error) {
	const margin = 5 * time.Second
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Until(s.token.Expires) < margin {
		token, err := s.Keystone.AdminToken(ctx)
		if err != nil {
			return "", err
		}
		s.token = token
	}
	return s.token.Value, nil
}

// CreateNode enrols a node and returns its UUID. Without a driver it gets
// fake-hardware, without a name a unique one.
func (s *Server) CreateNode(ctx context.Context, node map[string]any) (string, error) {
	body := map[string]any{"driver": "fake-hardware", "name": "node-" + strings.ToLower(rand.Text())}
	for key, value := range node {
		body[key] = value
	}
	status, response, err := s.Do(ctx, http.MethodPost, "/v1/nodes", body)
	if err != nil {
		return "", err
	}
	var created struct {
		UUID string `json:"uuid"`
	}
	if status != http.StatusCreated {
		return "", fmt.Errorf("creating a node: status %d: %s", status, response)
	}
	if err := json.Unmarshal(response, &created); err != nil {
		return "", fmt.Errorf("reading the new node: %w", err)
	}
	return created.UUID, nil
}

// CreateNodes enrols n nodes of fake hardware, named bulk-00001 and so on; a
// further call goes on counting. All but the first are written straight into
// the database, which is a hundred times faster than the API.
func (s *Server) CreateNodes(ctx context.Context, n int) error {
	if n < 1 {
		return nil
	}
	first, err := s.CreateNode(ctx, map[string]any{})
	if err != nil {
		return err
	}
	// Cloned under a name of its own, then removed: it would otherwise have to
	// know the next free number.
	if _, err := runPython(ctx, s.venv, "clone.py", nil, filepath.Join(s.Dir, database), first, strconv.Itoa(n)); err != nil {
		return fmt.Errorf("cloning a node: %w", err)
	}
	status, response, err := s.Do(ctx, http.MethodDelete, "/v1/nodes/"+first, nil)
	if err != nil {
		return err
	}
	if status != http.StatusNoContent {
		return fmt.Errorf("removing the cloned node: status %d: %s", status, response)
	}
	return nil
}
