package lab

import (
	"bytes"
	"io"
	"net/http"
)

// inside is a transport to a handler of this process: ten thousand nodes are enrolled with
// forty thousand requests, whose way through the network took longer than their answers.
type inside struct{ handler http.Handler }

// RoundTrip has the handler answer.
func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	request := r.Clone(r.Context())
	request.RequestURI = r.URL.RequestURI()
	request.RemoteAddr = "127.0.0.1:0"
	request.Host = r.URL.Host
	if request.Body == nil {
		request.Body = http.NoBody
	}
	w := &answerInside{header: http.Header{}, status: http.StatusOK}
	i.handler.ServeHTTP(w, request)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// answerInside keeps an answer until its reader comes.
type answerInside struct {
	header http.Header
	body   bytes.Buffer
	status int
	begun  bool
}

func (a *answerInside) Header() http.Header { return a.header }

func (a *answerInside) WriteHeader(status int) {
	if !a.begun {
		a.status, a.begun = status, true
	}
}

func (a *answerInside) Write(content []byte) (int, error) {
	a.begun = true
	return a.body.Write(content)
}
