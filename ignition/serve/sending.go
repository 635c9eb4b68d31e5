package serve

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// kernelChunk is how much the kernel sends of a file before we look at the clock,
	// bufferSize how much of anything else is in our memory for each connection.
	kernelChunk = 1 << 20
	bufferSize  = 256 << 10
)

// buffers are kept between the requests, and no more of them are in use than there are
// connections.
type buffers struct{ pool sync.Pool }

func newBuffers() *buffers {
	return &buffers{pool: sync.Pool{New: func() any {
		b := make([]byte, bufferSize)
		return &b
	}}}
}

// sending is a ResponseWriter that counts what is sent, with its place in the item. It
// copies in pieces, and gives the client the same time for each of them.
type sending struct {
	http.ResponseWriter
	control *http.ResponseController
	log     *fetchLog
	tally   *tally
	buffers *buffers
	// stall is how long a client may take for a piece.
	stall time.Duration
	head  bool

	// content says that the answer is one with the item's bytes, of which left are to
	// come; at is the place of the next one.
	content  bool
	at, left int64
	// failed is why the item could not be read.
	failed error
}

// WriteHeader learns what is going to be sent.
func (s *sending) WriteHeader(status int) {
	header := s.Header()
	if status == http.StatusOK || status == http.StatusPartialContent {
		s.left, _ = strconv.ParseInt(header.Get("Content-Length"), 10, 64)
		s.at = rangeStart(header.Get("Content-Range"))
		if !s.head {
			s.content = true
			s.log.began(s.tally, status == http.StatusOK)
		}
	}
	s.ResponseWriter.WriteHeader(status)
}

// rangeStart is the first byte of "bytes 5-9/20"; without a range it is 0.
func rangeStart(contentRange string) int64 {
	bounds, _, _ := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "-")
	start, err := strconv.ParseInt(bounds, 10, 64)
	if err != nil {
		return 0
	}
	return start
}

// Write sends a piece.
func (s *sending) Write(p []byte) (int, error) {
	s.extend()
	n, err := s.ResponseWriter.Write(p)
	s.count(int64(n))
	return n, err
}

// ReadFrom is what http.ServeContent copies with. A file goes to the kernel, where
// its bytes never come to us.
func (s *sending) ReadFrom(src io.Reader) (int64, error) {
	limited, ok := src.(*io.LimitedReader)
	if !ok {
		limited = &io.LimitedReader{R: src, N: s.left}
	}
	kernel, ok := s.ResponseWriter.(io.ReaderFrom)
	if _, isFile := limited.R.(*os.File); ok && isFile {
		return pieces(limited, func(r io.Reader) (int64, error) { return s.kernelPiece(kernel, r) })
	}
	buffer, _ := s.buffers.pool.Get().(*[]byte)
	defer s.buffers.pool.Put(buffer)
	return pieces(limited, func(r io.Reader) (int64, error) { return s.copyPiece(r, *buffer) })
}

func pieces(limited *io.LimitedReader, send func(io.Reader) (int64, error)) (int64, error) {
	var total int64
	for limited.N > 0 {
		n, err := send(limited.R)
		limited.N -= n
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
	return total, nil
}

func (s *sending) kernelPiece(kernel io.ReaderFrom, file io.Reader) (int64, error) {
	s.extend()
	n, err := kernel.ReadFrom(&io.LimitedReader{R: file, N: min(kernelChunk, s.left)})
	s.count(n)
	if n == 0 && err == nil { // the file became shorter
		s.failed = io.ErrUnexpectedEOF
	}
	return n, err
}

func (s *sending) copyPiece(r io.Reader, buffer []byte) (int64, error) {
	n, err := io.ReadFull(r, buffer[:min(bufferSize, s.left)])
	if n == 0 {
		s.failed = err
		return 0, err
	}
	if err != nil && err != io.ErrUnexpectedEOF { //nolint:errorlint // io.ReadFull returns this one as it is
		s.failed = err
	}
	written, err := s.Write(buffer[:n])
	return int64(written), err
}

func (s *sending) count(n int64) {
	if n <= 0 || !s.content {
		return
	}
	s.log.sent(s.tally, s.at, n)
	s.at += n
	s.left -= n
}

// extend gives the client its time for the next piece.
func (s *sending) extend() { _ = s.control.SetWriteDeadline(time.Now().Add(s.stall)) }

// Unwrap is for http.ResponseController.
func (s *sending) Unwrap() http.ResponseWriter { return s.ResponseWriter }
