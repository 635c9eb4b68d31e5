package agent

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"ironworks/python"
)

// apiVersion is a minor version of Ironic's API.
type apiVersion int

const (
	oldestAPI   apiVersion = 31
	withVersion apiVersion = 36 // heartbeats have the agent's version
	withToken   apiVersion = 62
	withCA      apiVersion = 68 // the newest that the agent knows
)

func (v apiVersion) String() string { return "1." + strconv.Itoa(int(v)) }

// ironic is a client for the part of the API that the agent uses, without credentials.
type ironic struct {
	url    string
	client *http.Client
	log    logger

	mu      sync.Mutex
	version apiVersion // zero before the first request
}

// reply is an answer of Ironic.
type reply struct {
	status int
	body   []byte
}

// maxReply is larger than any answer to an agent.
const maxReply = 16 << 20

// call sends a request; a version of zero sends no version.
func (i *ironic) call(ctx context.Context, method, path string, version apiVersion, body any) (reply, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader([]byte(dump(body)))
	}
	request, err := http.NewRequestWithContext(ctx, method, i.url+path, content)
	if err != nil {
		return reply{}, fmt.Errorf("preparing a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if version != 0 {
		request.Header.Set("X-OpenStack-Ironic-API-Version", version.String())
	}
	response, err := i.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		return reply{}, err
	}
	return reply{status: response.StatusCode, body: answer}, nil
}

// apiVersion requests Ironic's version, once.
func (i *ironic) apiVersion(ctx context.Context) apiVersion {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.version != 0 {
		return i.version
	}
	answer, err := i.call(ctx, http.MethodGet, "/", 0, nil)
	if err == nil {
		root, _ := python.ParseJSON(string(answer.body))
		o, _ := root.(*dict)
		_, minor, _ := strings.Cut(o.Dict("default_version").Text("version"), ".")
		if n, err := strconv.Atoi(minor); err == nil && n > 0 {
			i.version = apiVersion(n)
			return i.version
		}
	}
	i.log.error("An error occurred while attempting to discover the available Ironic API versions, falling back to using version %s", oldestAPI)
	return oldestAPI
}

// message returns the error message of an answer.
func (r reply) message() string {
	text := string(r.body)
	v, err := python.ParseJSON(text)
	if err == nil {
		body, _ := v.(*dict)
		if inner := body.Get("error_message"); inner != nil {
			if encoded, ok := inner.(string); ok {
				inner, _ = python.ParseJSON(encoded)
			}
			body, _ = inner.(*dict)
		}
		for _, key := range []string{"faultstring", "title"} {
			if s := body.Text(key); s != "" {
				text = s
				break
			}
		}
	}
	return fmt.Sprintf("Error %d: %s", r.status, text)
}
