package agent

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"ironworks/models/hints"
)

// apiVersion is the minor part of a version of Ironic's API, such as 68 for 1.68.
type apiVersion int

const (
	oldestAPI   apiVersion = 31
	withVersion apiVersion = 36 // first version whose heartbeats include the agent's version
	withToken   apiVersion = 62
	withCA      apiVersion = 68 // the newest version that the real agent knows
	lastOld     apiVersion = 82 // the newest version of Ironic 21.4
)

func (v apiVersion) String() string { return "1." + strconv.Itoa(int(v)) }

// ironic is a client for the part of Ironic's API that agents use. This part needs no credentials.
type ironic struct {
	client    *http.Client
	log       logger
	requestID string

	version atomic.Int64 // the API version; zero until Ironic has answered
	mu      sync.Mutex
	urls    []string // begins with the URL that answered last
}

func newIronic(options Options, log logger) *ironic {
	i := &ironic{client: options.Client, log: log, requestID: options.GlobalRequestID}
	for url := range strings.SplitSeq(options.IronicURL, ",") {
		if url = strings.TrimRight(strings.TrimSpace(url), "/"); url != "" {
			i.urls = append(i.urls, url)
		}
	}
	return i
}

// url returns the URL at which Ironic answered last. It is used in messages.
func (i *ironic) url() string { return i.addresses()[0] }

func (i *ironic) addresses() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.urls)
}

// prefer moves the given URL, at which Ironic has answered, to the front of the list.
func (i *ironic) prefer(url string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if at := slices.Index(i.urls, url); at > 0 {
		i.urls = slices.Insert(slices.Delete(i.urls, at, at+1), 0, url)
	}
}

type reply struct {
	status int
	body   []byte
}

// maxReply is the maximum size of a response, in bytes. Ironic's responses to agents are smaller.
const maxReply = 16 << 20

// call sends a request to Ironic's URLs in order until one answers. Version zero means no version header.
func (i *ironic) call(ctx context.Context, method, path string, version apiVersion, body any) (reply, error) {
	var answer reply
	var err error
	for _, url := range i.addresses() {
		if answer, err = i.callOne(ctx, method, url+path, version, body); err == nil {
			i.prefer(url)
			return answer, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return reply{}, err
}

func (i *ironic) callOne(ctx context.Context, method, url string, version apiVersion, body any) (reply, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader([]byte(dump(body)))
	}
	request, err := http.NewRequestWithContext(ctx, method, url, content)
	if err != nil {
		return reply{}, fmt.Errorf("preparing a request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if i.requestID != "" {
		request.Header.Set("X-OpenStack-Request-ID", i.requestID)
	}
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

// apiVersion returns the version of Ironic's API, which it requests until Ironic answers once, or oldestAPI.
func (i *ironic) apiVersion(ctx context.Context) apiVersion {
	if known := i.version.Load(); known != 0 {
		return apiVersion(known)
	}
	answer, err := i.call(ctx, http.MethodGet, "/", 0, nil)
	if err == nil {
		root, _ := hints.ParsePythonJSON(string(answer.body))
		o, _ := root.(*dict)
		_, minor, _ := strings.Cut(o.Dict("default_version").Text("version"), ".")
		if n, err := strconv.Atoi(minor); err == nil && n > 0 {
			i.version.Store(int64(n))
			return apiVersion(n)
		}
	}
	i.log.error("An error occurred while attempting to discover the available Ironic API versions, falling back to using version %s", oldestAPI)
	return oldestAPI
}

func (r reply) message() string {
	text := string(r.body)
	v, err := hints.ParsePythonJSON(text)
	if err == nil {
		body, _ := v.(*dict)
		if inner := body.Get("error_message"); inner != nil {
			if encoded, ok := inner.(string); ok {
				inner, _ = hints.ParsePythonJSON(encoded)
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
