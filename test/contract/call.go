package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ironworks/test/ironic"
)

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	raw    string
	body   any
}

// send sends a request and fails the test unless it gets a response.
func (c *session) send(s step) answer {
	c.t.Helper()
	for {
		a, err := c.try(c.t.Context(), s)
		// A server that responds before it has read the whole request closes the connection, sometimes before the
		// client has read the response.
		if errors.Is(err, net.ErrClosed) {
			<-time.After(c.interval)
			continue
		}
		if err != nil {
			c.t.Fatal(err)
		}
		return a
	}
}

func (c *session) try(ctx context.Context, s step) (answer, error) {
	method, path, ok := strings.Cut(c.fill(s.call), " ")
	if !ok {
		return answer{}, fmt.Errorf("%q is no call", s.call)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.subject.URL+path, strings.NewReader(c.fill(s.body)))
	if err != nil {
		return answer{}, err
	}
	switch s.version {
	case "":
		request.Header.Set(ironic.VersionHeader, "1."+strconv.Itoa(c.subject.MaxMinor))
	case "none":
	default:
		request.Header.Set(ironic.VersionHeader, s.version)
	}
	if s.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json")
	if name, value, ok := strings.Cut(s.header, ":"); ok {
		request.Header.Del(name)
		if value = strings.TrimSpace(value); value != "" {
			request.Header.Set(name, value)
		}
	}
	c.subject.writing.RLock()
	defer c.subject.writing.RUnlock()
	response, err := c.subject.Client.Do(request)
	if err != nil {
		return answer{}, fmt.Errorf("calling %s: %w", c.subject.Name, err)
	}
	raw, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return answer{}, fmt.Errorf("reading the answer of %s: %w", c.subject.Name, err)
	}
	a := answer{status: response.StatusCode, header: response.Header, raw: string(raw)}
	if json.Unmarshal(raw, &a.body) != nil {
		a.body = nil
	}
	return a, nil
}
