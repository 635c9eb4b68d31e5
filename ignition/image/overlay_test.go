package image_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

func TestOverlay(t *testing.T) {
	t.Parallel()
	const base = "0123456789"
	for _, test := range []struct {
		name   string
		ranges []image.Range
		want   string
	}{
		{"nothing", nil, base},
		{"the beginning", []image.Range{{Offset: 0, Length: 2, Data: []byte("ab")}}, "ab23456789"},
		{"the end", []image.Range{{Offset: 8, Length: 2, Data: []byte("ab")}}, "01234567ab"},
		{"all", []image.Range{{Offset: 0, Length: 10, Data: []byte("abc")}}, "abc\x00\x00\x00\x00\x00\x00\x00"},
		{"zeros", []image.Range{{Offset: 3, Length: 4}}, "012\x00\x00\x00\x00789"},
		{"side by side", []image.Range{{Offset: 5, Length: 2, Data: []byte("cd")}, {Offset: 3, Length: 2, Data: []byte("ab")}}, "012abcd789"},
		{"behind the end", []image.Range{{Offset: 12, Length: 3, Data: []byte("abc")}}, base + "\x00\x00abc"},
		{"over the end", []image.Range{{Offset: 9, Length: 3, Data: []byte("abc")}}, "012345678abc"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o, err := image.NewOverlay(strings.NewReader(base), int64(len(base)), test.ranges...)
			if err != nil {
				t.Fatal(err)
			}
			if err := iotest.TestReader(o, []byte(test.want)); err != nil || o.Size() != int64(len(test.want)) {
				t.Errorf("%v, %d bytes", err, o.Size())
			}
		})
	}
	for _, ranges := range [][]image.Range{
		{{Offset: 0, Length: 2}, {Offset: 1, Length: 2}},
		{{Offset: -1, Length: 2}},
		{{Offset: 1, Length: 1, Data: []byte("ab")}},
		{{Offset: 1, Length: -1}},
	} {
		if _, err := image.NewOverlay(strings.NewReader(base), 10, ranges...); err == nil {
			t.Errorf("%v is taken", ranges)
		}
	}
	o, err := image.NewOverlay(strings.NewReader("short"), 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(o); err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Errorf("%v", err)
	}
	if _, err := o.Seek(-1, io.SeekStart); err == nil {
		t.Error("seeking before the start")
	}
}

// TestStreamPerNode checks that several machines can read their streams in parts and concurrently. All streams share
// one image file.
func TestStreamPerNode(t *testing.T) {
	t.Parallel()
	iso, err := image.Open(fileT(t, coreosinstaller.X86().Image))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = iso.Close() })
	const nodes = 8
	wants := make([][]byte, nodes)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		patch, err := iso.Edit(image.Change{Ignition: []byte(strings.TrimPrefix(r.URL.Path, "/"))})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		stream, err := patch.Stream(iso)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		http.ServeContent(w, r, "node.iso", time.Time{}, stream)
	}))
	t.Cleanup(server.Close)
	var wait sync.WaitGroup
	for node := range nodes {
		name := fmt.Sprintf("node-%d", node)
		wants[node] = editT(t, coreosinstaller.X86().Image, image.Change{Ignition: []byte(name)})
		wait.Go(func() {
			var got []byte
			for at := 0; at < len(wants[node]); at += 100_000 {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/"+name, nil)
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", at, at+99_999))
				response, err := server.Client().Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				part, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err != nil || response.StatusCode != http.StatusPartialContent {
					t.Errorf("%s, %v", response.Status, err)
					return
				}
				got = slices.Concat(got, part)
			}
			if !bytes.Equal(got, wants[node]) {
				t.Errorf("%s gets another image", name)
			}
		})
	}
	wait.Wait()
}
