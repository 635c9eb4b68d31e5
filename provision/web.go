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

// Web asks web servers with HTTP. Nothing of a server is trusted: headers, bodies,
// redirects and time are bounded.
type Web struct{ client *http.Client }

const (
	redirectsMost = 10
	headersMost   = 64 << 10
)

// NewWeb makes one that goes through the proxies of the environment.
func NewWeb() *Web {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: headersMost,
		// Servers are asked once: nothing stays open.
		DisableKeepAlives: true,
	}
	return &Web{client: &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= redirectsMost:
			return fmt.Errorf("more than %d redirects", redirectsMost)
		case r.URL.Scheme != "http" && r.URL.Scheme != "https":
			return errors.New("a redirect to something that is not the web")
		}
		return nil
	}}}
}

// Head asks for the headers alone.
func (w *Web) Head(ctx context.Context, address string) (WebAnswer, error) {
	a, _, err := w.ask(ctx, http.MethodHead, address, 0, false)
	return a, err
}

// Get reads at most most bytes of the answer's body, however long it is.
func (w *Web) Get(ctx context.Context, address string, most int, part bool) (WebAnswer, []byte, error) {
	return w.ask(ctx, http.MethodGet, address, most, part)
}

func (w *Web) ask(ctx context.Context, method, address string, most int, part bool) (WebAnswer, []byte, error) {
	// A body that goes on is left when enough of it was read.
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
		a.Landed = landed
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

// totalOf is the size of the whole in Content-Range: bytes 0-511/1024; -1 where there is
// none.
func totalOf(header string) int64 {
	_, total, _ := strings.Cut(header, "/")
	n, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
