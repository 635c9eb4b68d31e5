package ironicclient

import (
	"bytes"
	"context"
)

// lookahead requests the next page while the caller still decodes the previous one. One request is in flight at most.
type lookahead struct {
	client *Client
	// marker is the marker of the page in flight; pages delivers the page.
	marker string
	pages  chan fetchedPage
}

type fetchedPage struct {
	resp *response
	err  error
}

// start requests the page after the last node in body. It guesses which node that is without decoding body; next
// detects a wrong guess.
func (l *lookahead) start(ctx context.Context, q NodeQuery, body []byte) {
	last := lastUUID(body)
	if last == "" || last == q.Marker || !bytes.Contains(body, []byte(`"next"`)) {
		return // this is the last page, or the same page again
	}
	q.Marker = last
	l.marker = q.Marker
	pages := make(chan fetchedPage, 1)
	l.pages = pages
	go func() {
		resp, err := l.client.fetchPage(ctx, q)
		pages <- fetchedPage{resp, err}
	}()
}

// next returns the page that q describes, which may have been requested in advance.
func (l *lookahead) next(ctx context.Context, q NodeQuery) (*response, error) {
	if l.pages == nil {
		return l.client.fetchPage(ctx, q)
	}
	got := <-l.pages
	l.pages = nil
	if l.marker != q.Marker {
		return l.client.fetchPage(ctx, q)
	}
	return got.resp, got.err
}

// wait waits for the request in flight, whose context must be canceled.
func (l *lookahead) wait() {
	if l.pages != nil {
		<-l.pages
	}
}

// lastUUID returns the value of the last "uuid" key in body, the JSON of a page, or "".
func lastUUID(body []byte) string {
	i := bytes.LastIndex(body, []byte(`"uuid"`))
	if i < 0 {
		return ""
	}
	rest := bytes.TrimLeft(body[i+len(`"uuid"`):], ": \t\n")
	if len(rest) == 0 || rest[0] != '"' {
		return ""
	}
	uuid, _, ok := bytes.Cut(rest[1:], []byte{'"'})
	if !ok {
		return ""
	}
	return string(uuid)
}
