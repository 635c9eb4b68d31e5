package weather

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is a fault that is applied to a request. forward is the function that would forward the request to the server
// if there were no fault.
type Kind func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc)

// Match reports whether a rule applies to a request.
type Match func(r *http.Request) bool

// Rule applies a fault to the requests that it matches.
type Rule struct {
	match Match
	kind  Kind
	left  int // the number of further requests that the rule applies to; negative if unlimited
}

// On returns a rule that applies a fault to the requests for which match returns true; a nil match matches every
// request.
func On(match Match, kind Kind) *Rule {
	return &Rule{match: match, kind: kind, left: -1}
}

// All returns a rule that applies a fault to every request.
func All(kind Kind) *Rule { return On(nil, kind) }

// Times limits the rule to n requests.
func (r *Rule) Times(n int) *Rule {
	r.left = n
	return r
}

func (r *Rule) consume(req *http.Request) bool {
	if r.left == 0 || r.match != nil && !r.match(req) {
		return false
	}
	if r.left > 0 {
		r.left--
	}
	return true
}

// Method matches requests with the given method.
func Method(method string) Match {
	return func(r *http.Request) bool { return r.Method == method }
}

// Path matches requests whose path contains part.
func Path(part string) Match {
	return func(r *http.Request) bool { return strings.Contains(r.URL.Path, part) }
}

// Stalled accepts requests and never responds.
func Stalled() Kind {
	return func(_ http.ResponseWriter, r *http.Request, _ http.HandlerFunc) {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

// StalledBody sends half of the response's body and then stalls.
func StalledBody() Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		rec := record(r, forward)
		sendHalf(w, rec.Result().Header, rec.Body.Bytes())
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

// TruncatedBody sends half of the response's body and closes the connection.
func TruncatedBody() Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		rec := record(r, forward)
		sendHalf(w, rec.Result().Header, rec.Body.Bytes())
		panic(http.ErrAbortHandler)
	}
}

// sendHalf sends half of a body. The Content-Length header states the length of the whole body.
func sendHalf(w http.ResponseWriter, header http.Header, body []byte) {
	maps.Copy(w.Header(), header)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
}

// TruncatedJSON sends half of the response's JSON as if that were the complete response.
func TruncatedJSON() Kind {
	return rewritten(func(_ *http.Request, _ http.Header, body []byte) []byte { return body[:len(body)/2] })
}

// Reset resets the connection without forwarding the request.
func Reset() Kind {
	return func(w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) { hangUp(w) }
}

// CutAfterSending forwards the request and resets the connection instead of responding.
func CutAfterSending() Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		record(r, forward)
		hangUp(w)
	}
}

// Status responds without forwarding the request. headers alternates names and values.
func Status(code int, body string, headers ...string) Kind {
	return func(w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// HTML responds with an HTML page that looks like a proxy's error page.
func HTML(code int) Kind {
	page := fmt.Sprintf("<html><head><title>%d %s</title></head><body><center>nginx</center></body></html>\n", code, http.StatusText(code))
	return Status(code, page, "Content-Type", "text/html", "Server", "nginx/1.27")
}

// Ironic responds the way Ironic does when it rejects a request. The error is JSON inside a string in JSON, and the
// headers name the API versions.
func Ironic(code int, message string, headers ...string) Kind {
	inner, _ := json.Marshal(map[string]any{"faultcode": "Client", "faultstring": message, "debuginfo": nil})
	outer, _ := json.Marshal(map[string]string{"error_message": string(inner)})
	return Status(code, string(outer), append([]string{
		"Content-Type", "application/json", "X-OpenStack-Ironic-API-Version", "1.69",
		"X-OpenStack-Ironic-API-Minimum-Version", "1.1", "X-OpenStack-Ironic-API-Maximum-Version", "1.115",
		"X-Openstack-Request-Id", "req-11111111-2222-3333-4444-555555555555",
	}, headers...)...)
}

// NotAcceptable responds that the server supports only the API versions from low to high.
func NotAcceptable(low, high string) Kind {
	return Ironic(http.StatusNotAcceptable, "Invalid value for X-OpenStack-Ironic-API-Version",
		"X-OpenStack-Ironic-API-Minimum-Version", low, "X-OpenStack-Ironic-API-Maximum-Version", high)
}

// RepeatPage returns the first page for every marker.
func RepeatPage() Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		q := r.URL.Query()
		q.Del("marker")
		r.URL.RawQuery = q.Encode()
		forward(w, r)
	}
}

// Skew changes the Date header, as if the server's clock were wrong by the given duration.
func Skew(by time.Duration) Kind {
	return rewritten(func(_ *http.Request, header http.Header, body []byte) []byte {
		header.Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
		return body
	})
}

// Slow delays every response.
func Slow(by time.Duration) Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		timer := time.NewTimer(by)
		defer timer.Stop()
		select {
		case <-timer.C:
			forward(w, r)
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
}

// Then returns a fault that applies k first, and then applies next to the requests that k forwards.
// Slow(d).Then(HTML(500)), for example, delays an HTML page.
func (k Kind) Then(next Kind) Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		k(w, r, func(w http.ResponseWriter, r *http.Request) { next(w, r, forward) })
	}
}

// RefuseField responds with the given status and message to every request for the field.
func RefuseField(field string, code int, message string) Kind {
	refuse := Ironic(code, message)
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		if slices.Contains(strings.Split(r.URL.Query().Get("fields"), ","), field) {
			refuse(w, r, forward)
			return
		}
		forward(w, r)
	}
}

// Rewrite changes a field of every node in responses, which may contain lists or single nodes.
func Rewrite(field string, change func(value any) any) Kind {
	return rewritten(func(r *http.Request, _ http.Header, body []byte) []byte {
		var doc map[string]any
		if !strings.HasPrefix(r.URL.Path, "/v1/nodes") || json.Unmarshal(body, &doc) != nil {
			return body
		}
		list, isList := doc["nodes"].([]any)
		if !isList {
			list = []any{doc}
		}
		for _, item := range list {
			if node, ok := item.(map[string]any); ok {
				if value, ok := node[field]; ok {
					node[field] = change(value)
				}
			}
		}
		changed, err := json.Marshal(doc)
		if err != nil {
			return body
		}
		return changed
	})
}

// rewritten forwards requests and changes their responses.
func rewritten(change func(r *http.Request, header http.Header, body []byte) []byte) Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		rec := record(r, forward)
		header := rec.Result().Header
		body := change(r, header, rec.Body.Bytes())
		maps.Copy(w.Header(), header)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(rec.Code)
		_, _ = w.Write(body)
	}
}

// Held sends a value on reached when a request has arrived, and never responds. If passed is true, it forwards the
// request first.
func Held(reached chan<- struct{}, passed bool) Kind {
	return func(w http.ResponseWriter, r *http.Request, forward http.HandlerFunc) {
		if passed {
			record(r, forward)
		}
		reached <- struct{}{}
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

// Nth matches the nth request that match accepts, counted from 1.
func Nth(n int, match Match) Match {
	return func(r *http.Request) bool {
		if !match(r) {
			return false
		}
		n--
		return n == 0
	}
}

// Both matches requests that both a and b match.
func Both(a, b Match) Match {
	return func(r *http.Request) bool { return a(r) && b(r) }
}
