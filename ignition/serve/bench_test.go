package serve_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"ironworks/ignition/serve"
)

// BenchmarkServe downloads a 1 GiB image over loopback, both from a file and from a stream.
func BenchmarkServe(b *testing.B) {
	const image = 1 << 30
	path := filepath.Join(b.TempDir(), "a.iso")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	piece := bytesOf(16 << 20)
	for range image / len(piece) {
		if _, err := f.Write(piece); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	open := func(context.Context) (io.ReadSeekCloser, error) { return os.Open(path) }
	stream := func(context.Context) (io.ReadSeekCloser, error) {
		f, err := os.Open(path)
		return struct{ io.ReadSeekCloser }{f}, err
	}
	for _, source := range []struct {
		name string
		open func(context.Context) (io.ReadSeekCloser, error)
		tls  *serve.TLS
	}{{"file", open, nil}, {"stream", stream, nil}, {"file-tls", open, &serve.TLS{}}, {"stream-tls", stream, &serve.TLS{}}} {
		b.Run(source.name, func(b *testing.B) {
			r := start(b, serve.Options{TLS: source.tls})
			at := r.add(b, serve.Item{Name: "a.iso", Kind: serve.ISO, Open: source.open})
			buffer := make([]byte, 1<<20)
			b.SetBytes(image)
			b.ReportAllocs()
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, at, nil)
				if err != nil {
					b.Fatal(err)
				}
				resp, err := r.client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, buffer)
				_ = resp.Body.Close()
				if n != image || err != nil {
					b.Fatalf("%d bytes, error %v", n, err)
				}
			}
		})
	}
}
