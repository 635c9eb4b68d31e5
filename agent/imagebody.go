package agent

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// imageSource is the location of an image, with the client and the credentials to fetch it.
type imageSource struct {
	client        *http.Client
	address       string
	authorization string
	silence       time.Duration
}

// request requests the content from an offset. If a validator is given and the content has changed, the server sends
// the whole content.
func (s imageSource) request(ctx context.Context, offset int64, validator string) (*imageBody, error) {
	parent := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address, http.NoBody)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	if s.authorization != "" {
		request.Header.Set("Authorization", s.authorization)
	}
	request.Header.Set("Accept-Encoding", "gzip, deflate") // as Python's requests, which decodes both
	if offset > 0 {
		request.Header.Set("Accept-Encoding", "identity")
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		request.Header.Set("If-Range", validator)
	}
	silence := time.AfterFunc(s.silence, func() { cancel(errSilence) })
	response, err := s.client.Do(request) //nolint:bodyclose // imageBody.Close closes it
	silence.Stop()
	if err != nil {
		var network net.Error
		if errors.Is(context.Cause(ctx), errSilence) || errors.As(err, &network) && network.Timeout() {
			err = fmt.Errorf("%w (read timeout=%v)", silent(request), s.silence.Seconds())
		}
		if errors.Is(err, errRedirects) {
			err = errRedirects // without the method and the address
		}
		cancel(nil)
		return nil, err
	}
	body := &imageBody{source: s, parent: parent, ctx: ctx, cancel: cancel, response: response}
	body.content = body.wire()
	return body, nil
}

// errSilence reports that a server has sent nothing for too long.
var errSilence = errors.New("the server sends nothing")

// silent returns an error with the message of Python's requests for a read timeout.
func silent(request *http.Request) error {
	kind := "HTTPConnectionPool"
	if request.URL.Scheme == "https" {
		kind = "HTTPSConnectionPool"
	}
	return fmt.Errorf("%s(host='%s', port=%s): Read timed out.", kind, request.URL.Hostname(), portOf(request.URL)) //nolint:staticcheck // as above
}

// imageBody is the content of an image as it is downloaded. It continues after broken connections.
type imageBody struct {
	agent    *agent
	source   imageSource
	parent   context.Context //nolint:containedctx // of the download
	ctx      context.Context //nolint:containedctx // of the request
	cancel   context.CancelCauseFunc
	response *http.Response
	content  io.Reader // the decoded content
	id       string    // ID of the image, for messages
	limit    time.Time // when the download must have ended; zero for no limit
	got      int64     // bytes of the response
	resumed  int
}

// Close ends the download.
func (b *imageBody) Close() error {
	err := b.response.Body.Close()
	b.cancel(nil)
	return err
}

// Read returns the decoded content.
func (b *imageBody) Read(p []byte) (int, error) {
	if !b.limit.IsZero() && time.Now().After(b.limit) {
		return 0, newFault(imageTooSlow, "Download of image %s failed: Download exceeded max allowed time (%v seconds)", b.id, b.agent.options.Images.MaxDuration.Seconds())
	}
	return b.content.Read(p)
}

// wire returns the content as the server sends it, before decoding; it continues after a broken connection.
func (b *imageBody) wire() io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		for {
			n, err := b.readOnce(p)
			b.got += int64(n)
			if n > 0 || err == nil || errors.Is(err, io.EOF) {
				return n, orNil(err, n)
			}
			if !b.resume(err) {
				return 0, b.describe(err)
			}
		}
	})
}

// orNil drops an error that comes with content: the next read returns it again.
func orNil(err error, n int) error {
	if n > 0 && !errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// readOnce reads once from the connection. It fails if the server sends nothing for too long.
func (b *imageBody) readOnce(p []byte) (int, error) {
	silence := time.AfterFunc(b.source.silence, func() { b.cancel(errSilence) })
	defer silence.Stop()
	n, err := b.response.Body.Read(p)
	if err != nil && errors.Is(context.Cause(b.ctx), errSilence) {
		err = silent(b.response.Request)
	}
	return n, err
}

// describe converts an error to the text of Python's requests.
func (b *imageBody) describe(err error) error {
	if size := b.response.ContentLength; errors.Is(err, io.ErrUnexpectedEOF) && size > 0 {
		text := fmt.Sprintf("IncompleteRead(%d bytes read, %d more expected)", b.got, size-b.got)
		return fmt.Errorf("('Connection broken: %s', %s)", text, text)
	}
	return err
}

// resume continues the download where the connection broke. The real agent starts again from the beginning. This agent
// does so only if the server cannot continue, or cannot tell whether the content is still the same. The checksum covers
// the whole image in either case.
func (b *imageBody) resume(cause error) bool {
	first := b.response
	validator := first.Header.Get("ETag")
	if validator == "" || strings.HasPrefix(validator, "W/") {
		validator = first.Header.Get("Last-Modified")
	}
	if b.got == 0 || validator == "" || first.ContentLength <= 0 || first.Header.Get("Accept-Ranges") != "bytes" || first.Header.Get("Content-Encoding") != "" {
		return false
	}
	a, ctx := b.agent, b.parent
	for b.resumed++; b.resumed < a.options.Images.Tries; b.resumed++ {
		a.log.standby.warning("The connection to %s broke after %d of %d bytes, continuing. Error: %v", b.source.address, b.got, first.ContentLength, cause)
		if !a.sleep(ctx, a.options.Images.Pause) {
			return false
		}
		next, err := b.source.request(ctx, b.got, validator)
		if err != nil {
			cause = err
			continue
		}
		want := fmt.Sprintf("bytes %d-%d/%d", b.got, first.ContentLength-1, first.ContentLength)
		if next.response.StatusCode != http.StatusPartialContent || next.response.Header.Get("Content-Range") != want {
			_ = next.Close()
			return false
		}
		_ = first.Body.Close()
		b.cancel(nil)
		next.response.Header, next.response.ContentLength = first.Header, first.ContentLength
		b.response, b.ctx, b.cancel = next.response, next.ctx, next.cancel
		return true
	}
	return false
}

// decode undoes the encoding of the transfer. Like Python's requests without further packages, it knows gzip and
// deflate, and does not decode others.
func (b *imageBody) decode() {
	switch strings.ToLower(strings.TrimSpace(b.response.Header.Get("Content-Encoding"))) {
	case "gzip", "x-gzip":
		wire := bufio.NewReader(b.content)
		var unpacked io.Reader
		b.content = readerFunc(func(p []byte) (int, error) {
			if unpacked == nil {
				reader, err := gzip.NewReader(wire)
				if err != nil {
					return 0, undecodable("gzip", err)
				}
				unpacked = reader
			}
			return unpacked.Read(p)
		})
	case "deflate":
		b.content = inflate(bufio.NewReader(b.content))
	}
}

// undecodable returns the message of Python's requests for content in another encoding than announced.
func undecodable(encoding string, err error) error {
	return fmt.Errorf("('Received response with content-encoding: %s, but failed to decode it.', %w)", encoding, err)
}

// inflate decodes deflate with the header of zlib, or without the header, as some servers send it.
func inflate(wire *bufio.Reader) io.Reader {
	var unpacked io.Reader
	return readerFunc(func(p []byte) (int, error) {
		if unpacked == nil {
			const method, deflated = 0x0f, 8
			start, err := wire.Peek(2)
			if err != nil {
				return 0, err
			}
			if start[0]&method != deflated || (int(start[0])<<8|int(start[1]))%31 != 0 {
				unpacked = flate.NewReader(wire)
			} else if unpacked, err = zlib.NewReader(wire); err != nil {
				return 0, undecodable("deflate", err)
			}
		}
		return unpacked.Read(p)
	})
}
