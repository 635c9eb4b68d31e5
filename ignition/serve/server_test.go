package serve_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ironworks/ignition/serve"
)

const size = 1<<20 + 7

func TestRequests(t *testing.T) {
	content := bytesOf(size)
	made := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	whole := func(c []byte) []byte { return c }
	tests := []struct {
		name, method string
		header       []string
		status       int
		length       string
		want         func(c []byte) []byte
	}{
		{"whole", "GET", nil, 200, fmt.Sprint(size), whole},
		{"headers only", "HEAD", nil, 200, fmt.Sprint(size), func([]byte) []byte { return nil }},
		{"a range", "GET", []string{"Range", "bytes=100-299"}, 206, "200", func(c []byte) []byte { return c[100:300] }},
		{"from a place on", "GET", []string{"Range", "bytes=1000000-"}, 206, fmt.Sprint(size - 1000000), func(c []byte) []byte { return c[1000000:] }},
		{"the last bytes", "GET", []string{"Range", "bytes=-7"}, 206, "7", func(c []byte) []byte { return c[size-7:] }},
		{"headers of a range", "HEAD", []string{"Range", "bytes=0-9"}, 206, "10", func([]byte) []byte { return nil }},
		{"several ranges are the whole", "GET", []string{"Range", "bytes=0-1,5-6"}, 200, fmt.Sprint(size), whole},
		{"the same since", "GET", []string{"Range", "bytes=0-1", "If-Range", made.Format(http.TimeFormat)}, 206, "2", func(c []byte) []byte { return c[:2] }},
		{"another since", "GET", []string{"Range", "bytes=0-1", "If-Range", made.Add(-time.Hour).Format(http.TimeFormat)}, 200, fmt.Sprint(size), whole},
		{"not modified", "GET", []string{"If-Modified-Since", made.Format(http.TimeFormat)}, 304, "", func([]byte) []byte { return nil }},
		{"beyond the end", "GET", []string{"Range", "bytes=9000000-"}, 416, "", nil},
		{"no range", "GET", []string{"Range", "bytes=x-"}, 416, "", nil},
	}
	for _, source := range []string{"file", "stream"} {
		r := start(t, serve.Options{})
		item := inMemory("r7-n01.iso", serve.ISO, content)
		if source == "file" {
			item = onDisk(t, "r7-n01.iso", content)
		}
		item.Modified = made
		at := r.add(t, item)
		for _, test := range tests {
			t.Run(source+" "+test.name, func(t *testing.T) {
				got := r.ask(t, test.method, at, test.header...)
				if got.StatusCode != test.status {
					t.Errorf("status %d, want %d", got.StatusCode, test.status)
				}
				if test.length != "" && got.Header.Get("Content-Length") != test.length {
					t.Errorf("length %q, want %q", got.Header.Get("Content-Length"), test.length)
				}
				if test.want != nil && !bytes.Equal(got.body, test.want(content)) {
					t.Errorf("%d other bytes than wanted came", len(got.body))
				}
			})
		}
	}
}

func TestHeaders(t *testing.T) {
	r := start(t, serve.Options{})
	everybodys := inMemory("vmlinuz", serve.Kernel, []byte("kernel"))
	everybodys.Node = ""
	tests := []struct {
		item         serve.Item
		media, cache string
	}{
		{inMemory("config.ign", serve.Ignition, []byte("{}")), "application/vnd.coreos.ignition+json", "no-store"},
		{inMemory("r7-n01.iso", serve.ISO, []byte("iso")), "application/x-iso9660-image", "no-store"},
		{everybodys, "application/octet-stream", ""},
	}
	for _, test := range tests {
		got := r.ask(t, "GET", r.add(t, test.item))
		if got.Header.Get("Content-Type") != test.media || got.Header.Get("Cache-Control") != test.cache {
			t.Errorf("%s: headers %v", test.item.Name, got.Header)
		}
		if got.Header.Get("Last-Modified") != "" {
			t.Errorf("%s: a time that nobody gave: %v", test.item.Name, got.Header)
		}
	}
}

func TestAddressesAreSecret(t *testing.T) {
	r := start(t, serve.Options{})
	item := inMemory("r7-n01.iso", serve.ISO, []byte("iso"))
	shape := regexp.MustCompile(`^/[a-z2-7]{32}/r7-n01\.iso$`)
	seen := map[string]bool{}
	for range 100 {
		path, err := r.Add(item)
		if err != nil || !shape.MatchString(path) || seen[path] {
			t.Fatalf("address %q, error %v", path, err)
		}
		seen[path] = true
	}
}

// TestElsewhere checks that every path other than the exact URL returns the same 404 response.
func TestElsewhere(t *testing.T) {
	r := start(t, serve.Options{})
	path, err := r.Add(inMemory("r7-n01.iso", serve.ISO, []byte("secret")))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.Split(path, "/")[1]
	paths := []string{
		"/", "/" + token, "/" + token + "/", "/" + token + "/other.iso", "/r7-n01.iso", "/" + strings.ToUpper(token) + "/r7-n01.iso",
		path + "/", "/" + path, path[:len(path)-1], "/x/.." + path, "/./" + path[1:], "/%2e%2e" + path, strings.Replace(path, "/r7", "%2Fr7", 1),
		strings.Replace(path, "r7", "%72%37", 1), path + "%00", "/../../etc/passwd", "/" + token + "/../" + token + "/r7-n01.iso",
		"/" + token[1:] + "/r7-n01.iso", path + ";x", "//" + r.Addr().String() + path, "/favicon.ico", "/" + strings.Repeat("a", 4000),
	}
	for _, p := range paths {
		c := r.raw(t)
		_, _ = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", p)
		got, err := io.ReadAll(c)
		if err != nil || !bytes.HasPrefix(got, []byte("HTTP/1.1 404 ")) || bytes.Contains(got, []byte("secret")) {
			t.Errorf("%q: %.60q, error %v", p, got, err)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "PROPFIND"} {
		if got := r.ask(t, method, r.URL(r.host, path)); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", method, got.StatusCode)
		}
	}
	if got := r.ask(t, "GET", r.URL(r.host, path)+"?filename=x.iso"); string(got.body) != "secret" {
		t.Errorf("a query is in the way: %d", got.StatusCode)
	}
}

func TestBadItems(t *testing.T) {
	r := start(t, serve.Options{})
	good := inMemory("a.iso", serve.ISO, nil)
	for name, change := range map[string]func(*serve.Item){
		"no name":     func(i *serve.Item) { i.Name = "" },
		"a slash":     func(i *serve.Item) { i.Name = "a/b" },
		"dots only":   func(i *serve.Item) { i.Name = ".." },
		"a blank":     func(i *serve.Item) { i.Name = "a b" },
		"a line end":  func(i *serve.Item) { i.Name = "a\n" },
		"a per cent":  func(i *serve.Item) { i.Name = "a%2f" },
		"a long name": func(i *serve.Item) { i.Name = strings.Repeat("a", 200) },
	} {
		item := good
		change(&item)
		if path, err := r.Add(item); err == nil {
			t.Errorf("%s: served at %s", name, path)
		}
	}
}

func TestListenFails(t *testing.T) {
	for name, options := range map[string]serve.Options{
		"no address":          {Listen: "nowhere"},
		"no such certificate": {TLS: &serve.TLS{CertFile: "/nowhere/a", KeyFile: "/nowhere/b"}},
		"no key":              {TLS: &serve.TLS{CertFile: "/nowhere/a"}},
		"nobody to make for":  {Listen: ":0", TLS: &serve.TLS{}},
	} {
		if s, err := serve.Listen(t.Context(), options); err == nil {
			t.Errorf("%s: it listens", name)
			_ = s.Close()
		}
	}
}

func TestLoopbackByDefault(t *testing.T) {
	r := start(t, serve.Options{})
	if !r.Addr().Addr().IsLoopback() || r.Addr().Port() == 0 {
		t.Errorf("it listens on %s", r.Addr())
	}
	if got := r.URL("fd00::1", "/x/y"); got != fmt.Sprintf("http://[fd00::1]:%d/x/y", r.Addr().Port()) {
		t.Errorf("URL %s", got)
	}
}

func TestContentThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(path, bytesOf(1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, item := range map[string]serve.Item{
		"open":  {Open: func(context.Context) (io.ReadSeekCloser, error) { return nil, errBroken }},
		"read":  {Open: func(context.Context) (io.ReadSeekCloser, error) { return &broken{size: size, good: 300 << 10}, nil }},
		"ended": {Open: func(context.Context) (io.ReadSeekCloser, error) { f, err := os.Open(path); return lying{f}, err }},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, serve.Options{})
			item.Name, item.Kind = "a.iso", serve.ISO
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.add(t, item), nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := r.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK && err == nil {
				t.Errorf("%d bytes came, and nobody was told that there are more", len(body))
			}
			if bytes.Contains(body, []byte(errBroken.Error())) {
				t.Error("the client is told what is wrong with our disk")
			}
			if e := r.wait(t, serve.EventFailed); e.Text == "" || e.Fetch.Item.Name != "a.iso" {
				t.Errorf("the event is %+v", e)
			}
		})
	}
}

// broken is content whose reads fail after some bytes. size is the length of the content, and good is the number of
// bytes that can be read.
type broken struct{ size, good, at int64 }

func (b *broken) Read(p []byte) (int, error) {
	if b.at >= b.good {
		return 0, errBroken
	}
	n := min(int64(len(p)), b.good-b.at)
	b.at += n
	return int(n), nil
}

func (b *broken) Seek(offset int64, whence int) (int64, error) {
	b.at = offset
	if whence == io.SeekEnd {
		b.at = b.size
	}
	return b.at, nil
}

func (*broken) Close() error { return nil }

// lying is a file that claims to be longer than it is.
type lying struct{ *os.File }

func (l lying) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		return size, nil
	}
	return l.File.Seek(offset, whence)
}

func TestTLS(t *testing.T) {
	r := start(t, serve.Options{TLS: &serve.TLS{Hosts: []string{"localhost", "192.0.2.9", "ironworks.example"}}})
	content := bytesOf(size)
	for _, item := range []serve.Item{inMemory("a.iso", serve.ISO, content), onDisk(t, "b.iso", content)} {
		at := r.add(t, item)
		if !strings.HasPrefix(at, "https://127.0.0.1:") {
			t.Errorf("address %s", at)
		}
		got := r.ask(t, "GET", at)
		if !bytes.Equal(got.body, content) || got.Proto != "HTTP/1.1" {
			t.Errorf("%s: other content, by %s", item.Name, got.Proto)
		}
	}
	if len(r.Fingerprint()) != 64 {
		t.Errorf("fingerprint %q", r.Fingerprint())
	}
	// A client that does not trust the certificate must cause an event.
	stranger := &http.Client{Transport: &http.Transport{}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL(r.host, "/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := stranger.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Error("the certificate is trusted by everybody")
	}
	if e := r.wait(t, serve.EventFailed); !strings.Contains(e.Text, "TLS handshake") || e.Count != 1 {
		t.Errorf("the event is %+v", e)
	}
}

func TestGivenCertificate(t *testing.T) {
	var files [2]string
	for i, pem := range testPair(t) {
		files[i] = filepath.Join(t.TempDir(), "pem")
		if err := os.WriteFile(files[i], pem, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, serve.Options{TLS: &serve.TLS{CertFile: files[0], KeyFile: files[1]}})
	if got := r.ask(t, "GET", r.add(t, inMemory("a.iso", serve.ISO, []byte("iso")))); string(got.body) != "iso" {
		t.Errorf("got %q", got.body)
	}
}

func TestConcurrent(t *testing.T) {
	r := start(t, serve.Options{MaxConnections: 4})
	content := bytesOf(size)
	places := []string{r.add(t, inMemory("a.iso", serve.ISO, content)), r.add(t, onDisk(t, "b.iso", content))}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for range 4 {
				from := i / 2 * 1000
				got := r.ask(t, "GET", places[i%2], "Range", fmt.Sprintf("bytes=%d-", from))
				if !bytes.Equal(got.body, content[from:]) {
					t.Errorf("other bytes from %d on", from)
				}
			}
		})
	}
	all.Wait()
	r.stop()
	for _, f := range r.Fetches() {
		if f.Requests != 32 || f.Active != 0 || f.State != serve.Done || f.Covered != size || f.Remote != netip.MustParseAddr("127.0.0.1") {
			t.Errorf("fetch %+v", f)
		}
	}
}

// TestAStrangerDoesNotKeepMachinesOut checks that idle connections from one address leave room for other clients, and
// that a client is disconnected after it requests an unknown path.
func TestAStrangerDoesNotKeepMachinesOut(t *testing.T) {
	r := start(t, serve.Options{MaxConnections: 4, MaxPerAddress: 2, HeaderTimeout: time.Hour, IdleTimeout: time.Hour})
	address := r.add(t, inMemory("a.iso", serve.ISO, []byte("image")))
	stranger := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	for range 8 {
		c, err := stranger.DialContext(t.Context(), "tcp", r.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	if got := r.ask(t, http.MethodGet, address); got.StatusCode != http.StatusOK {
		t.Errorf("a machine gets %d", got.StatusCode)
	}
	c, err := net.Dial("tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := fmt.Fprintf(c, "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c) // returns when the connection ends
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 404") || !strings.Contains(string(answer), "Connection: close") {
		t.Errorf("%q, %v", answer, err)
	}
	r.client.CloseIdleConnections()
}
