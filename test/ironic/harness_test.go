package ironic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"ironworks/lab/real"
)

// get sends a GET request with the given header, without Do's authentication, and returns the status.
func get(t *testing.T, s *Server, path string, header http.Header) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	response, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// nodes counts the server's nodes, page by page.
func nodes(t *testing.T, s *Server) int {
	t.Helper()
	count, marker := 0, ""
	for {
		var page struct {
			Nodes []struct {
				UUID string `json:"uuid"`
			} `json:"nodes"`
		}
		status, body, err := s.Do(t.Context(), http.MethodGet, "/v1/nodes?fields=uuid&limit=1000"+marker, nil)
		if err != nil || status != http.StatusOK {
			t.Fatalf("listing nodes: status %d, error %v: %s", status, err, body)
		}
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		count += len(page.Nodes)
		if len(page.Nodes) < 1000 {
			return count
		}
		marker = "&marker=" + page.Nodes[len(page.Nodes)-1].UUID
	}
}

func TestReleases(t *testing.T) {
	t.Parallel()
	for _, release := range Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			s := StartT(t, Options{Release: release})

			t.Run("reports its version", func(t *testing.T) { checkVersion(t, s) })
			t.Run("has a conductor that moves nodes", func(t *testing.T) { checkConductor(t, s) })
			t.Run("lists many nodes", func(t *testing.T) { checkMany(t, s) })
			t.Run("is paused and resumed", func(t *testing.T) { checkPause(t, s) })
			t.Run("comes back with its state", func(t *testing.T) { checkRestart(t, s) })
		})
	}
}

func checkVersion(t *testing.T, s *Server) {
	t.Helper()
	status, body, err := s.Do(t.Context(), http.MethodGet, "/v1", nil)
	if err != nil || status != http.StatusOK {
		t.Fatalf("status %d, error %v", status, err)
	}
	var root struct {
		Version struct {
			Version string `json:"version"`
		} `json:"version"`
	}
	if err := json.Unmarshal(body, &root); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("1.%d", s.Release.MaxMinor()); root.Version.Version != want {
		t.Errorf("newest version %s, want %s", root.Version.Version, want)
	}
	next := fmt.Sprintf("1.%d", s.Release.MaxMinor()+1)
	status, _, err = s.DoVersion(t.Context(), next, http.MethodGet, "/v1/nodes", nil)
	if err != nil || status != http.StatusNotAcceptable {
		t.Errorf("version %s: status %d, error %v, want 406", next, status, err)
	}
}

func checkConductor(t *testing.T, s *Server) {
	t.Helper()
	uuid := s.CreateNode(t, nil)
	status, body, err := s.Do(t.Context(), http.MethodPut, "/v1/nodes/"+uuid+"/states/provision", map[string]any{"target": "manage"})
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("managing a node: status %d, error %v: %s", status, err, body)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err = Poll(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, body, err := s.Do(ctx, http.MethodGet, "/v1/nodes/"+uuid, nil)
		return strings.Contains(string(body), `"provision_state": "manageable"`), err
	})
	if err != nil {
		t.Error(err)
	}
}

func checkMany(t *testing.T, s *Server) {
	t.Helper()
	before := nodes(t, s)
	for _, n := range []int{500, 2} {
		if err := s.CreateNodes(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	if got := nodes(t, s) - before; got != 502 {
		t.Errorf("%d nodes more, want 502", got)
	}
	for _, name := range []string{"bulk-00001", "bulk-00502"} {
		if status, body, err := s.Do(t.Context(), http.MethodGet, "/v1/nodes/"+name, nil); err != nil || status != http.StatusOK {
			t.Errorf("%s: status %d, error %v: %s", name, status, err, body)
		}
	}
}

func checkPause(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Pause(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if status, _, err := s.Do(ctx, http.MethodGet, "/v1/nodes?limit=1", nil); err == nil {
		t.Errorf("a paused server responded: status %d", status)
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	if status, _, err := s.Do(t.Context(), http.MethodGet, "/v1/nodes?limit=1", nil); err != nil || status != http.StatusOK {
		t.Errorf("a resumed server: status %d, error %v", status, err)
	}
}

func checkRestart(t *testing.T, s *Server) {
	t.Helper()
	before, url := nodes(t, s), s.URL
	for _, end := range []struct {
		name string
		do   func()
	}{
		{"after a crash", s.Kill},
		{"after a stop", s.Stop},
		{"while running", func() {}},
	} {
		t.Run(end.name, func(t *testing.T) {
			pid := s.PID()
			end.do()
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			if s.PID() == pid {
				t.Error("the process did not change")
			}
			if after := nodes(t, s); after != before || s.URL != url {
				t.Errorf("%d nodes at %s, want %d at %s", after, s.URL, before, url)
			}
		})
	}
}

// TestPortTaken checks that the responses of another server on the port are not mistaken for those of the new server.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	s := StartT(t, Options{})
	_, text, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Start(t.Context(), Options{Port: port})
	if !errors.Is(err, real.ErrPortTaken) {
		t.Errorf("error %v, want %v", err, real.ErrPortTaken)
	}
	if second != nil {
		second.Stop()
	}
}

func TestHTTPBasicAndTLS(t *testing.T) {
	t.Parallel()
	for _, release := range Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			t.Parallel()
			s := StartT(t, Options{Release: release, Auth: HTTPBasic(), TLS: true})
			if !strings.HasPrefix(s.URL, "https://127.0.0.1:") || s.CACert == "" {
				t.Fatalf("URL %q, CACert %q", s.URL, s.CACert)
			}
			if status := get(t, s, "/v1/nodes", http.Header{}); status != http.StatusUnauthorized {
				t.Errorf("without credentials: status %d, want 401", status)
			}
			if got := nodes(t, s); got != 0 {
				t.Errorf("%d nodes, want none", got)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1", nil)
			if err != nil {
				t.Fatal(err)
			}
			if response, err := new(http.Client).Do(request); err == nil {
				_ = response.Body.Close()
				t.Error("a client without the CA certificate got a response")
			}
		})
	}
}
