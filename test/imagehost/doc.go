// Package imagehost provides good, broken and hostile image servers, and the results of downloads from them. The
// results of the real agents are recorded in agent/testdata/downloads.json, because starting Python takes longer than
// running all cases.
package imagehost

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
)

// Case describes an image server, and the image_info that makes an agent download from it.
type Case struct {
	Name string
	// Answer responds to every request. n is the number of the request, counted from 0.
	Answer func(w http.ResponseWriter, r *http.Request, n int)
	// Info holds fields that replace those of the image_info that [Start] creates. In strings, HERE is replaced with
	// the server's URL, and NOWHERE with an address without a server.
	Info map[string]any
	// Tries is the number of times that the agent tries the download; 0 means 2.
	Tries int
	// Silence is the time in seconds after which the agent gives up on a silent server; 0 means 20.
	Silence float64
	// OwnWords means that the error messages differ between the agents, because they come from different HTTP
	// libraries: Python's and Go's.
	OwnWords bool
}

// Result describes the outcome of a download, and the requests that the agent sent.
type Result struct {
	// Error is the class of the error, or "" if there was none. Details is the error's message.
	Error   string `json:"error"`
	Details string `json:"details,omitempty"`
	// Requests lists the requests to both servers, each with its method, path and credentials.
	Requests []string `json:"requests"`
	// Bytes is the length of the content that was written without an error.
	Bytes int `json:"bytes,omitempty"`
}

// Key returns the name of the case in recordings. streams is true for an image that is streamed to the disk, and
// false for one that is first stored in a file.
func (c Case) Key(streams bool) string {
	if streams {
		return c.Name + ", streamed"
	}
	return c.Name + ", kept"
}

// Limits returns the case's Tries and Silence, or their defaults.
func (c Case) Limits() (tries int, silence float64) {
	tries, silence = 2, 20
	if c.Tries > 0 {
		tries = c.Tries
	}
	if c.Silence > 0 {
		silence = c.Silence
	}
	return tries, silence
}

// Server consists of the running servers of a case.
type Server struct {
	Info map[string]any

	// here is the server of the case; other answers every request with the image.
	here, other *httptest.Server
	mu          sync.Mutex
	requests    []string
}

// Image is the content of the image, which is larger than every buffer between server and client.
var Image = strings.Repeat("0123456789abcdef", 1<<14)

// Sum returns the SHA-256 checksum of content in hexadecimal.
func Sum(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// Start starts the servers of a case.
func Start(c Case) *Server {
	s := &Server{}
	s.here = httptest.NewUnstartedServer(s.record("", func(w http.ResponseWriter, r *http.Request, n int) {
		r.Header.Set("X-Other", s.other.URL)
		c.Answer(w, r, n)
	}))
	s.other = httptest.NewServer(s.record("other ", func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write([]byte(Image)) }))
	s.here.Config.ErrorLog, s.other.Config.ErrorLog = quiet(), quiet()
	s.here.Start()
	s.Info = map[string]any{"id": "i1", "urls": []any{"HERE/disk.raw"}, "disk_format": "raw"}
	if c.Info["checksum"] == nil { // agent 9.4.2 treats every checksum without an algorithm as MD5
		s.Info["os_hash_algo"], s.Info["os_hash_value"] = "sha256", Sum(Image)
	}
	for name, value := range c.Info {
		s.Info[name] = value
	}
	for name, value := range s.Info {
		s.Info[name] = s.filled(value)
	}
	return s
}

// filled replaces HERE and NOWHERE in a value.
func (s *Server) filled(value any) any {
	switch value := value.(type) {
	case string:
		return strings.NewReplacer("HERE", s.here.URL, "NOWHERE", "http://127.0.0.1:1").Replace(value)
	case []any:
		all := make([]any, len(value))
		for i := range value {
			all[i] = s.filled(value[i])
		}
		return all
	}
	return value
}

func (s *Server) record(prefix string, answer func(http.ResponseWriter, *http.Request, int)) http.HandlerFunc {
	n := 0
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		text := prefix + r.Method + " " + r.URL.RequestURI()
		if secret := r.Header.Get("Authorization"); secret != "" {
			text += " " + secret
		}
		s.requests = append(s.requests, text)
		number := n
		n++
		s.mu.Unlock()
		answer(w, r, number)
	}
}

// Requests returns all requests received since the last call.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append([]string{}, s.requests...)
	s.requests = nil
	return all
}

// Close stops the servers.
func (s *Server) Close() {
	for _, server := range []*httptest.Server{s.here, s.other} {
		server.Close()
	}
}

// volatile lists the parts of a message that differ between runs, and their replacements.
var volatile = []struct {
	what *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`port=\d+`), "port=PORT"},
	{regexp.MustCompile(`time: [-+.e\d]+ seconds`), "time: TIME seconds"},
	// Go does not preserve the order and the case of headers.
	{regexp.MustCompile(`Response headers: \{[^}]*\}`), "Response headers: HEADERS"},
}

// Normal returns a message without the parts that differ between runs. place is the path that the image was written to.
func Normal(text, place string) string {
	text = strings.ReplaceAll(text, place, "PLACE")
	for _, v := range volatile {
		text = v.what.ReplaceAllString(text, v.name)
	}
	return text
}
