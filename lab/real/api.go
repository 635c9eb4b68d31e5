package real

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
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
	if s.auth != nil {
		if err := s.auth.Sign(request); err != nil {
			return 0, nil, fmt.Errorf("authenticating %s %s: %w", method, path, err)
		}
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
