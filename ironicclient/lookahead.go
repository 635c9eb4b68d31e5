package ironicclient

import (
	"bytes"
	"context"
)

// lookahead asks for the next page while the one before it is still being read, so
// that the API does not wait for us. Still only one request is under way at a time.
type lookahead struct {
	client *Client
	// marker is the page that is under way, after which node; pages carries its answer.
	marker string
	pages  chan fetched
}

type fetched struct {
	ans *answer
	err error
}

// start asks for the page after body's last node, as far as that can be told without
// reading all of it: take finds out when the guess was wrong.
func (l *lookahead) start(ctx context.Context, q NodeQuery, body []byte) {
	last := lastUUID(body)
	if last == "" || last == q.Marker || !bytes.Contains(body, []byte(`"next"`)) {
		return // the end, or a page that repeats itself
	}
	q.Marker = last
	l.marker = q.Marker
	pages := make(chan fetched, 1)
	l.pages = pages
	go func() {
		ans, err := l.client.fetchPage(ctx, q)
		pages <- fetched{ans, err}
	}()
}

// take gives the answer for a query, from the request that is under way when it is the
// one for it.
func (l *lookahead) take(ctx context.Context, q NodeQuery) (*answer, error) {
	if l.pages == nil {
		return l.client.fetchPage(ctx, q)
	}
	got := <-l.pages
	l.pages = nil
	if l.marker != q.Marker {
		return l.client.fetchPage(ctx, q)
	}
	return got.ans, got.err
}

// wait lets a request that is still under way end; its context is over.
func (l *lookahead) wait() {
	if l.pages != nil {
		<-l.pages
	}
}

// lastUUID finds the value of the last "uuid" key in a page.
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
