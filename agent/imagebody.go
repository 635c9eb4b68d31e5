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

type imageSource struct {
	client        *http.Client
	address       string
	authorization string
	silence       time.Duration
}

// request requests the content of the image from the given offset. If offset is not 0, validator is the ETag or the
// date of the image. The server sends the whole content if the validator no longer matches.
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
	request.Header.Set("Accept-Encoding", "gzip, deflate") // like Python's requests library, which decodes both
	if offset > 0 {
		request.Header.Set("Accept-Encoding", "identity")
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		request.Header.Set("If-Range", validator)
	}
	silence := time.AfterFunc(s.silence, func() { cancel(errSilence) })
	response, err := s.client.Do(request) //nolint:bodyclose // imageBody.Close closes it
	silence.Stop()
	if err != nil {
		if network, ok := errors.AsType[net.Error](err); errors.Is(context.Cause(ctx), errSilence) || ok && network.Timeout() {
			err = fmt.Errorf("%w (read timeout=%v)", silent(request), s.silence.Seconds())
		}
		if errors.Is(err, errRedirects) {
			err = errRedirects // drop the method and the address from the error
		}
		cancel(nil)
		return nil, err
	}
	body := &imageBody{source: s, parent: parent, ctx: ctx, cancel: cancel, response: response}
	body.content = body.wire()
	return body, nil
}

// errSilence is the reason for canceling a request if the server has sent nothing for too long.
var errSilence = errors.New("the server sends nothing")

// silent returns the error for a read timeout, with the message of Python's requests library.
func silent(request *http.Request) error {
	kind := "HTTPConnectionPool"
	if request.URL.Scheme == "https" {
		kind = "HTTPSConnectionPool"
	}
	return fmt.Errorf("%s(host='%s', port=%s): Read timed out.", kind, request.URL.Hostname(), portOf(request.URL)) //nolint:staticcheck // as above
}

// imageBody reads the content of an image during the download, and can resume it after the connection has broken.
type imageBody struct {
	agent    *agent
	source   imageSource
	parent   context.Context //nolint:containedctx // of the download
	ctx      context.Context //nolint:containedctx // of the request
	cancel   context.CancelCauseFunc
	response *http.Response
	content  io.Reader // the decoded content
	id       string    // ID of the image, for messages
	limit    time.Time // deadline of the download; zero means no limit
	got      int64     // number of bytes received, before decoding
	resumed  int
}

// Close ends the download.
func (b *imageBody) Close() error {
	err := b.response.Body.Close()
	b.cancel(nil)
	return err
}

// Read implements [io.Reader] for the decoded content. It fails after the deadline of the download.
func (b *imageBody) Read(p []byte) (int, error) {
	if !b.limit.IsZero() && time.Now().After(b.limit) {
		return 0, newFault(imageTooSlow, "Download of image %s failed: Download exceeded max allowed time (%v seconds)", b.id, b.agent.options.Images.MaxDuration.Seconds())
	}
	return b.content.Read(p)
}

// wire returns a reader for the content before decoding, which resumes the download after a broken connection.
func (b *imageBody) wire() io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		for {
			n, err := b.readOnce(p)
			b.got += int64(n)
			switch {
			case err == nil || errors.Is(err, io.EOF):
				return n, err
			case n > 0:
				return n, nil //nolint:nilerr // the next read returns the error again
			case !b.resume(err):
				return 0, b.describe(err)
			}
		}
	})
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

// describe converts err to an error with the message of Python's requests library.
func (b *imageBody) describe(err error) error {
	if size := b.response.ContentLength; errors.Is(err, io.ErrUnexpectedEOF) && size > 0 {
		text := fmt.Sprintf("IncompleteRead(%d bytes read, %d more expected)", b.got, size-b.got)
		return fmt.Errorf("('Connection broken: %s', %s)", text, text)
	}
	return err
}

// resume continues the download at the position where the connection broke, and reports whether it succeeded. The
// real agent always starts again from the beginning. This agent does so only if the server cannot resume, or if it is
// unknown whether the content is still the same. In either case, the checksum covers the whole image.
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

// decode makes b.content undo the content encoding of the response. It supports gzip and deflate. As in Python's
// requests library without optional packages, content with other encodings stays unchanged.
func (b *imageBody) decode() {
	switch strings.ToLower(strings.TrimSpace(b.response.Header.Get("Content-Encoding"))) {
	case "gzip", "x-gzip":
		b.content = lazyReader(b.content, func(wire *bufio.Reader) (io.Reader, error) {
			reader, err := gzip.NewReader(wire)
			return reader, undecodable("gzip", err)
		})
	case "deflate":
		b.content = lazyReader(b.content, inflate)
	}
}

// lazyReader returns a reader for the decoded content of wire. It calls decode at the first read.
func lazyReader(wire io.Reader, decode func(*bufio.Reader) (io.Reader, error)) io.Reader {
	buffered := bufio.NewReader(wire)
	var unpacked io.Reader
	return readerFunc(func(p []byte) (int, error) {
		if unpacked == nil {
			reader, err := decode(buffered)
			if err != nil {
				return 0, err
			}
			unpacked = reader
		}
		return unpacked.Read(p)
	})
}

// undecodable returns the error of Python's requests library for content that does not have the announced encoding.
func undecodable(encoding string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("('Received response with content-encoding: %s, but failed to decode it.', %w)", encoding, err)
}

// inflate decompresses deflate data. Some servers omit the zlib header, so inflate accepts data with and without it.
func inflate(wire *bufio.Reader) (io.Reader, error) {
	const method, deflated = 0x0f, 8
	start, err := wire.Peek(2)
	if err != nil {
		return nil, err
	}
	if start[0]&method != deflated || (int(start[0])<<8|int(start[1]))%31 != 0 {
		return flate.NewReader(wire), nil
	}
	reader, err := zlib.NewReader(wire)
	return reader, undecodable("deflate", err)
}
