package provision_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/provision/images"
)

// imageServer returns a web server with an image, and a checksum file that lists the image with an invented checksum.
// It also serves redirects, and responses like those of a hostile server.
func imageServer(t *testing.T, asked *atomic.Int32) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/os.raw", func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.ServeContent(w, r, "", models.Time{}.Time, strings.NewReader(strings.Repeat("x", 5000)))
	})
	mux.HandleFunc("/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("a", 64)+"  os.raw\n")
	})
	mux.Handle("/moved", http.RedirectHandler("/os.raw?sig=hunter2", http.StatusFound))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	mux.Handle("/file", http.RedirectHandler("file:///etc/passwd", http.StatusFound))
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			return
		}
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("y\n", 1<<15)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/lies", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", "10")
			return
		}
		w.Header().Set("Content-Range", "bytes 0-511/9999999999999")
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, strings.Repeat("z", 512))
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("h", 1<<20))
	})
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestWeb(t *testing.T) {
	t.Parallel()
	s := imageServer(t, &atomic.Int32{})
	for name, c := range map[string]struct {
		path, answer string
		fails        string
	}{
		"an image":              {"/os.raw", "200 5000/5000 ''; 206 512/5000, 512 read", ""},
		"moved":                 {"/moved", "200 5000/5000 '/os.raw?sig=hunter2'; 206 512/5000, 512 read", ""},
		"not there":             {"/nothing", "404 19/19 ''; 404 19/19, 19 read", ""},
		"endless":               {"/endless", "200 -1/-1 ''; 200 -1/-1, 512 read", ""},
		"two sizes":             {"/lies", "200 10/10 ''; 206 512/9999999999999, 512 read", ""},
		"round and round":       {"/round", "", "more than 10 redirects"},
		"to a file":             {"/file", "", "not HTTP"},
		"a megabyte of headers": {"/headers", "", "headers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := images.NewWeb()
			head, err := web.Head(t.Context(), s.URL+c.path)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%+v, %v; want %q", head, err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			part, body, err := web.Get(t.Context(), s.URL+c.path, 512, true)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d %d/%d '%s'; %d %d/%d, %d read", head.Status, head.Length, head.Total, strings.TrimPrefix(head.FinalURL, s.URL),
				part.Status, part.Length, part.Total, len(body))
			if got != c.answer {
				t.Errorf("%s, want %s", got, c.answer)
			}
		})
	}
}

// TestWebEndsWithItsContext checks that a silent server causes no delay once ctx is canceled.
func TestWebEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := imageServer(t, &atomic.Int32{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := images.NewWeb().Head(ctx, s.URL+"/silent"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// direct returns a deployment that writes the given image with the direct deploy interface.
func direct(source, checksum string) provision.Deployment {
	return provision.Deployment{Fields: plan.Fields{Kind: plan.KindDirect, Image: plan.Image{Source: source, Checksum: checksum}}}
}

func TestImagesAreQueried(t *testing.T) {
	t.Parallel()
	asked := &atomic.Int32{}
	s := imageServer(t, asked)
	sum := strings.Repeat("a", 64)
	for name, c := range map[string]struct {
		source, checksum string
		want             map[plan.CheckID]plan.CheckSeverity
	}{
		"all is well": {s.URL + "/os.raw", s.URL + "/SHA256SUMS", map[plan.CheckID]plan.CheckSeverity{
			plan.CheckImageThere: plan.CheckOK, plan.CheckImageFile: plan.CheckOK, plan.CheckImageSize: plan.CheckOK,
		}},
		"a digest":   {s.URL + "/os.raw", sum, map[plan.CheckID]plan.CheckSeverity{plan.CheckImageThere: plan.CheckOK, plan.CheckImageFile: ""}},
		"not there":  {s.URL + "/nothing", sum, map[plan.CheckID]plan.CheckSeverity{plan.CheckImageThere: plan.CheckRefuse, plan.CheckImageSize: ""}},
		"no server":  {"http://127.0.0.1:1/os.raw", sum, map[plan.CheckID]plan.CheckSeverity{plan.CheckImageThere: plan.CheckUnknown, plan.CheckImageSize: ""}},
		"two sizes":  {s.URL + "/lies", sum, map[plan.CheckID]plan.CheckSeverity{plan.CheckImageThere: plan.CheckOK, plan.CheckImageSize: plan.CheckUnknown}},
		"endless":    {s.URL + "/os.raw", s.URL + "/endless", map[plan.CheckID]plan.CheckSeverity{plan.CheckImageFile: plan.CheckUnknown}},
		"glance":     {"5c3a6c1e-0000-4000-8000-000000000000", "", map[plan.CheckID]plan.CheckSeverity{plan.CheckImageThere: ""}},
		"to a file":  {s.URL + "/file", sum, map[plan.CheckID]plan.CheckSeverity{plan.CheckImageThere: plan.CheckUnknown}},
		"not a page": {s.URL + "/os.raw", s.URL + "/os.raw", map[plan.CheckID]plan.CheckSeverity{plan.CheckImageFile: plan.CheckRefuse}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := deployable(t)
			n.Raw = []byte(strings.Replace(string(n.Raw), "S9", "S1", 1))
			p := &provision.Preflighter{Reader: &reader{inventory: oneDisk}, Images: images.NewWeb()}
			_, checks, err := p.Preflight(t.Context(), &n, direct(c.source, c.checksum), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := map[plan.CheckID]plan.CheckSeverity{}
			for _, check := range checks {
				got[check.ID] = check.Severity
				for _, e := range check.Evidence {
					if strings.Contains(e.Value, "hunter2") {
						t.Errorf("%s shows %s", check.ID, e)
					}
				}
			}
			for id, want := range c.want {
				if got[id] != want {
					t.Errorf("%s is %q, want %q: %v", id, got[id], want, checks)
				}
			}
		})
	}
}

// TestImageIsQueriedOnce checks that an image is queried only once for all nodes of a plan.
func TestImageIsQueriedOnce(t *testing.T) {
	t.Parallel()
	asked := &atomic.Int32{}
	s := imageServer(t, asked)
	p := &provision.Preflighter{Reader: &reader{inventory: oneDisk}, Images: images.NewWeb()}
	ask := func(p *provision.Preflighter) {
		t.Helper()
		n := deployable(t)
		if _, _, err := p.Preflight(t.Context(), &n, direct(s.URL+"/os.raw", "x"), nil); err != nil {
			t.Fatal(err)
		}
	}
	ask(p)
	first := asked.Load()
	ask(p)
	if asked.Load() != first {
		t.Errorf("asked %d times, and %d times for a second node", first, asked.Load())
	}
	ask(p.Fresh())
	if asked.Load() != 2*first {
		t.Error("what was asked long ago is taken for new")
	}
}
