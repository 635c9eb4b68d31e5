package provision

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
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
func (w *Web) Head(ctx context.Context, address string) (WebAnswer, error) {
	a, _, err := w.do(ctx, http.MethodHead, address, 0, false)
	return a, err
}

// Get returns the response and the start of its body, up to the number of bytes given by most. If part is true, it
// requests only these bytes from the server.
func (w *Web) Get(ctx context.Context, address string, most int, part bool) (WebAnswer, []byte, error) {
	return w.do(ctx, http.MethodGet, address, most, part)
}

func (w *Web) do(ctx context.Context, method, address string, most int, part bool) (WebAnswer, []byte, error) {
	// Canceling this context ends the transfer of the rest of the body.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return WebAnswer{}, nil, err
	}
	if part {
		req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", most-1))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return WebAnswer{}, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	a := WebAnswer{Status: resp.StatusCode, Length: resp.ContentLength, Total: resp.ContentLength}
	if landed := resp.Request.URL.String(); landed != req.URL.String() {
		a.FinalURL = landed
	}
	if resp.StatusCode == http.StatusPartialContent {
		a.Total = totalOf(resp.Header.Get("Content-Range"))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)))
	if err != nil {
		return WebAnswer{}, nil, err
	}
	return a, body, nil
}

// totalOf returns the total size in a Content-Range header such as "bytes 0-511/1024". It returns -1 if the header
// contains none.
func totalOf(header string) int64 {
	_, total, _ := strings.Cut(header, "/")
	n, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
