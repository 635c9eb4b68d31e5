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
	// kernelChunk is the number of bytes of a file that the kernel sends before the deadline is extended. bufferSize
	// is the size of the buffer that each connection needs for other content.
	kernelChunk = 1 << 20
	bufferSize  = 256 << 10
)

// sending is a ResponseWriter that counts the bytes sent and tracks their offset in the item. It sends the content in
// pieces, and the client has the same time to read each piece.
type sending struct {
	http.ResponseWriter
	control *http.ResponseController
	log     *fetchLog
	tally   *tally
	buffers *sync.Pool
	// stall is the time that the client has to read one piece.
	stall time.Duration
	head  bool

	// content means that the response has the item's bytes, of which left remain to be sent from offset at.
	content  bool
	at, left int64
	// failed is the error that occurred while reading the item.
	failed error
}

// WriteHeader implements [http.ResponseWriter]. It also records which bytes are going to be sent.
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

// rangeStart returns the first offset in a Content-Range header such as "bytes 5-9/20", or 0 without one.
func rangeStart(contentRange string) int64 {
	bounds, _, _ := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "-")
	start, err := strconv.ParseInt(bounds, 10, 64)
	if err != nil {
		return 0
	}
	return start
}

func (s *sending) Write(p []byte) (int, error) {
	s.extend()
	n, err := s.ResponseWriter.Write(p)
	s.count(int64(n))
	return n, err
}

// ReadFrom implements [io.ReaderFrom], which http.ServeContent uses. The kernel sends files without a copy.
func (s *sending) ReadFrom(src io.Reader) (int64, error) {
	limited, ok := src.(*io.LimitedReader)
	if !ok {
		limited = &io.LimitedReader{R: src, N: s.left}
	}
	kernel, ok := s.ResponseWriter.(io.ReaderFrom)
	if _, isFile := limited.R.(*os.File); ok && isFile {
		return pieces(limited, func(r io.Reader) (int64, error) { return s.kernelPiece(kernel, r) })
	}
	buffer, _ := s.buffers.Get().(*[bufferSize]byte)
	defer s.buffers.Put(buffer)
	return pieces(limited, func(r io.Reader) (int64, error) { return s.copyPiece(r, buffer[:]) })
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

func (s *sending) extend() { _ = s.control.SetWriteDeadline(time.Now().Add(s.stall)) }

// Unwrap returns the underlying ResponseWriter, for http.ResponseController.
func (s *sending) Unwrap() http.ResponseWriter { return s.ResponseWriter }
