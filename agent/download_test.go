package agent

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// imageHost is a server for one image. It records the headers of the requests.
type imageHost struct {
	*httptest.Server

	mu    sync.Mutex
	asked []http.Header
}

// hostImage starts a server that calls answer for each request. The argument n is the number of earlier requests.
func hostImage(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int)) *imageHost {
	t.Helper()
	h := &imageHost{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		n := len(h.asked)
		h.asked = append(h.asked, r.Header.Clone())
		h.mu.Unlock()
		answer(w, r, n)
	}))
	t.Cleanup(h.CloseClientConnections)
	t.Cleanup(h.Close)
	return h
}

// requests returns the headers of all requests.
func (h *imageHost) requests() []http.Header {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// breakOff announces length bytes, sends only content, and then closes the connection.
func breakOff(w http.ResponseWriter, content []byte, length int) {
	w.Header().Set("Content-Length", strconv.Itoa(length))
	_, _ = w.Write(content)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// pattern is the content of an image. It is larger than the buffers that the image passes through.
var pattern = bytes.Repeat([]byte("0123456789abcdef"), 1<<14)

func checksumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// streamed runs the write_image step for a raw image from the server at the given address, and returns the content
// that was written to the disk. The optional arguments are alternating keys and values to add to the image_info.
func streamed(t *testing.T, address string, images ImageOptions, more ...any) (string, *fault) {
	t.Helper()
	info := newDict("id", "i1", "urls", list{address}, "disk_format", "raw", "stream_raw_images", true, "checksum", checksumOf(pattern))
	for i := 0; i < len(more); i += 2 {
		info.Set(more[i].(string), more[i+1])
	}
	m := newMetal()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a := bench(m, Options{Client: &http.Client{Transport: transport}, Speed: 1e6, Images: images})
	node := nodeOf(t, `{"root_device": {"name": "/dev/sda"}}`, "{}")
	_, f := runStep(t, a, deploying, "write_image", node, newDict("image_info", info, "configdrive", nil))
	return m.written["/dev/sda"], f
}

func TestBrokenDownloadStartsAgain(t *testing.T) {
	h := hostImage(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n < 2 {
			breakOff(w, pattern[:1000*(n+1)], len(pattern))
		}
		_, _ = w.Write(pattern)
	})
	written, f := streamed(t, h.URL, ImageOptions{})
	if f != nil || written != string(pattern) {
		t.Errorf("%d bytes, %v", len(written), f)
	}
	for _, header := range h.requests() {
		if header.Get("Range") != "" {
			t.Errorf("a part was requested of a server that sends none: %v", header)
		}
	}
}

func TestBrokenDownloadIsContinued(t *testing.T) {
	for _, validator := range []string{"ETag", "Last-Modified"} {
		h := hostImage(t, func(w http.ResponseWriter, r *http.Request, n int) {
			w.Header().Set("Accept-Ranges", "bytes")
			w.Header().Set(validator, `"v1"`)
			if n == 0 {
				breakOff(w, pattern[:100_000], len(pattern))
			}
			start, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-"))
			if r.Header.Get("If-Range") != `"v1"` {
				t.Errorf("the request does not name the version: %v", r.Header)
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(pattern)-1, len(pattern)))
			w.Header().Set("Content-Length", strconv.Itoa(len(pattern)-start))
			w.WriteHeader(http.StatusPartialContent)
			end := len(pattern)
			if n == 1 {
				end = start + 50_000 // the connection breaks again
			}
			_, _ = w.Write(pattern[start:end])
			if n == 1 {
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
		})
		written, f := streamed(t, h.URL, ImageOptions{})
		if f != nil || written != string(pattern) || len(h.requests()) != 3 {
			t.Errorf("%s: %d bytes in %d requests, %v", validator, len(written), len(h.requests()), f)
		}
	}
}

// TestChangedImageIsNotContinued checks that a download starts again from the beginning if the image on the server
// changes during an interruption.
func TestChangedImageIsNotContinued(t *testing.T) {
	h := hostImage(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		w.Header().Set("Accept-Ranges", "bytes")
		w.Header().Set("ETag", fmt.Sprintf(`"v%d"`, n))
		if n == 0 {
			breakOff(w, bytes.Repeat([]byte("x"), 1000), len(pattern))
		}
		_, _ = w.Write(pattern)
	})
	written, f := streamed(t, h.URL, ImageOptions{})
	if f != nil || written != string(pattern) || len(h.requests()) != 3 {
		t.Errorf("%d bytes in %d requests, %v", len(written), len(h.requests()), f)
	}
}

// TestHostileServers checks the error messages and the numbers of requests for servers that misbehave. Agent 13.0.0
// produced the expected values with the same servers.
func TestHostileServers(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request, _ int) {
		for r.Context().Err() == nil {
			if _, err := w.Write(pattern); err != nil {
				return
			}
		}
	}
	for _, c := range []struct {
		name     string
		answer   func(http.ResponseWriter, *http.Request, int)
		images   ImageOptions
		kind     kind
		message  string
		requests int
	}{
		{
			name: "always breaks off", kind: imageDownload, requests: 10,
			answer:  func(w http.ResponseWriter, _ *http.Request, _ int) { breakOff(w, pattern[:10], 30) },
			message: "Download of image i1 failed: Unable to write image to device /dev/sda. Error: ('Connection broken: IncompleteRead(10 bytes read, 20 more expected)', IncompleteRead(10 bytes read, 20 more expected))",
		},
		{
			name: "sends less than the image", kind: imageChecksum, requests: 3, images: ImageOptions{Tries: 3},
			answer:  func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write(pattern[:10]) },
			message: "Image failed to verify against checksum. location: i1; image ID: /dev/sda; image checksum: " + checksumOf(pattern) + "; verification checksum: " + checksumOf(pattern[:10]),
		},
		{
			name: "sends another image", kind: imageChecksum, requests: 1, images: ImageOptions{Tries: 1},
			answer: func(w http.ResponseWriter, _ *http.Request, _ int) {
				_, _ = w.Write(append(pattern[:len(pattern):len(pattern)], 'x'))
			},
			message: "verification checksum: " + checksumOf(append(pattern[:len(pattern):len(pattern)], 'x')),
		},
		{
			name: "never ends", kind: imageDownload, requests: 1, images: ImageOptions{Tries: 1, MaxDuration: 1e5 * time.Second}, answer: endless,
			message: "Error: Image download timeout: Download of image i1 failed: Download exceeded max allowed time (100000 seconds)",
		},
		{
			name: "falls silent", kind: imageDownload, requests: 2, images: ImageOptions{Tries: 2, Silence: 50 * time.Millisecond},
			answer: func(w http.ResponseWriter, r *http.Request, _ int) {
				_, _ = w.Write(pattern[:10])
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			},
			message: "Error: HTTPConnectionPool(host='127.0.0.1', port=",
		},
		{
			name: "never answers", kind: commandExecution, requests: 2, images: ImageOptions{Tries: 2, Silence: 50 * time.Millisecond},
			answer:  func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() },
			message: "Read timed out. (read timeout=0.05)",
		},
		{
			name: "redirects in a circle", kind: commandExecution, requests: 31, images: ImageOptions{Tries: 1},
			answer:  func(w http.ResponseWriter, r *http.Request, _ int) { http.Redirect(w, r, "/", http.StatusFound) },
			message: "Exceeded 30 redirects.",
		},
		{
			name: "claims gzip", kind: imageDownload, requests: 1, images: ImageOptions{Tries: 1},
			answer: func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(pattern)
			},
			message: "Error: ('Received response with content-encoding: gzip, but failed to decode it.', ",
		},
		{
			name: "has no image", kind: imageFatal, requests: 2, images: ImageOptions{Tries: 2},
			answer:  func(w http.ResponseWriter, r *http.Request, _ int) { http.NotFound(w, r) },
			message: "Download of image i1 failed: Received status code 404 from ",
		},
		{
			name: "is busy", kind: imageDownload, requests: 4, images: ImageOptions{Tries: 2},
			answer:  func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusServiceUnavailable) },
			message: "Error: Received status code 503 from ",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hostImage(t, c.answer)
			_, f := streamed(t, h.URL, c.images)
			if f == nil || f.Type != c.kind || !strings.Contains(f.Details, c.message) {
				t.Errorf("got %+v", f)
			}
			if n := len(h.requests()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}

// TestCredentialsStayWithTheirServer checks that the agent sends credentials to a registry, and that it still sends
// them after a redirect within the registry. It must not send them after a redirect to another server, such as the
// registry's storage.
func TestCredentialsStayWithTheirServer(t *testing.T) {
	storage := hostImage(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write(pattern) })
	var registry *imageHost
	registry = hostImage(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 0 {
			http.Redirect(w, r, registry.URL+"/blob", http.StatusTemporaryRedirect)
			return
		}
		http.Redirect(w, r, storage.URL, http.StatusTemporaryRedirect)
	})
	token := base64.StdEncoding.EncodeToString([]byte("Bearer secret"))
	for _, c := range []struct {
		want string
		more []any
		conf ImageOptions
	}{
		{want: "Bearer secret", more: []any{"image_request_authorization", token, "image_server_auth_strategy", "http_basic"}},
		{want: "Basic " + base64.StdEncoding.EncodeToString([]byte("u:p")), more: []any{"image_server_auth_strategy", "http_basic", "image_server_user", "u", "image_server_password", "p"}},
		{want: "Basic " + base64.StdEncoding.EncodeToString([]byte("c:q")), conf: ImageOptions{BasicAuth: true, User: "c", Password: "q"}},
	} {
		registry.asked, storage.asked = nil, nil
		if written, f := streamed(t, registry.URL, c.conf, c.more...); f != nil || written != string(pattern) {
			t.Fatalf("%d bytes, %v", len(written), f)
		}
		for _, header := range registry.requests() {
			if header.Get("Authorization") != c.want {
				t.Errorf("the registry got %q, want %q", header.Get("Authorization"), c.want)
			}
		}
		if got := storage.requests()[0].Get("Authorization"); got != "" || len(registry.requests()) != 2 {
			t.Errorf("the storage got %q after %d requests", got, len(registry.requests()))
		}
	}
	_, f := streamed(t, registry.URL, ImageOptions{Tries: 1}, "image_server_auth_strategy", "http_basic", "image_server_user", "u")
	if f == nil || f.Type != imageDownload || !strings.Contains(f.Details, "Error: Missing ['password'] fields from HTTP(S) basic auth config") {
		t.Errorf("without a password: %+v", f)
	}
}

// TestTransferEncodings checks that the agent decodes the same content encodings as Python's requests library. An
// image file that is itself compressed must remain compressed.
func TestTransferEncodings(t *testing.T) {
	packed := map[string][]byte{"zstd": pattern, "": pattern}
	var buffer bytes.Buffer
	writer := io.WriteCloser(gzip.NewWriter(&buffer))
	for _, name := range []string{"gzip", "deflate"} {
		_, _ = writer.Write(pattern)
		_ = writer.Close()
		packed[name] = bytes.Clone(buffer.Bytes())
		buffer.Reset()
		writer = zlib.NewWriter(&buffer)
	}
	for name, content := range packed {
		h := hostImage(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Encoding", name)
			_, _ = w.Write(content)
		})
		if written, f := streamed(t, h.URL, ImageOptions{Tries: 1}); f != nil || written != string(pattern) {
			t.Errorf("%q: %d bytes, %v", name, len(written), f)
		}
	}
	file := packed["gzip"]
	h := hostImage(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write(file) })
	if written, f := streamed(t, h.URL, ImageOptions{Tries: 1}, "checksum", checksumOf(file)); f != nil || written != string(file) {
		t.Errorf("a gzip file: %d bytes, %v", len(written), f)
	}
}

// TestRegistryAddressIsRefused checks the error for an oci:// address. Ironic normally replaces such an address with
// the address of a blob.
func TestRegistryAddressIsRefused(t *testing.T) {
	_, f := streamed(t, "oci://registry.invalid/image@sha256:00", ImageOptions{Tries: 1})
	if f == nil || f.Type != commandExecution || f.Details != "No connection adapters were found for 'oci://registry.invalid/image@sha256:00'" {
		t.Errorf("got %+v", f)
	}
}

func TestProxies(t *testing.T) {
	for _, c := range []struct{ target, without, want string }{
		{"http://images.example.com/x", "", "http://proxy:3128"},
		{"https://images.example.com/x", "", "http://secure:3128"},
		{"http://images.example.com/x", "example.com, other", ""},
		{"http://images.example.com/x", ".example.com", ""},
		{"http://images.example.com:8080/x", "images.example.com:8080", ""},
		{"http://imagesexample.com/x", "example.com", "http://proxy:3128"},
		{"http://192.0.2.7/x", "192.0.2.0/24", ""},
		{"http://192.0.2.7/x", "192.0.3.0/24", "http://proxy:3128"},
		{"http://images/x", "*", ""},
	} {
		target, err := url.Parse(c.target)
		if err != nil {
			t.Fatal(err)
		}
		proxy, err := proxyFor(target, newDict("http", "proxy:3128", "https", "http://secure:3128"), c.without)
		got := ""
		if proxy != nil {
			got = proxy.String()
		}
		if got != c.want || err != nil {
			t.Errorf("%s without %q goes through %q, %v", c.target, c.without, got, err)
		}
	}
	h := hostImage(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Host != "images.invalid" {
			t.Errorf("the proxy was asked for %s", r.URL)
		}
		_, _ = w.Write(pattern)
	})
	if written, f := streamed(t, "http://images.invalid/x", ImageOptions{Tries: 1}, "proxies", newDict("http", h.URL)); f != nil || written != string(pattern) {
		t.Errorf("through a proxy: %d bytes, %v", len(written), f)
	}
}
