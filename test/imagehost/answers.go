package imagehost

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"
)

// answer is the type of [Case.Answer].
type answer = func(http.ResponseWriter, *http.Request, int)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// image is an answer that sends the whole image.
func image(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, Image) }

// content answers with the given content instead of the image.
func content(text string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, text) }
}

// status answers with the given status code and without an image.
func status(code int) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "no image")
	}
}

// inOrder answers each request with the next answer, and repeats the last one for all further requests.
func inOrder(answers ...answer) answer {
	return func(w http.ResponseWriter, r *http.Request, n int) { answers[min(n, len(answers)-1)](w, r, n) }
}

// breaks sends the first 100 bytes of the image and closes the connection.
func breaks(w http.ResponseWriter, _ *http.Request, _ int) {
	w.Header().Set("Content-Length", strconv.Itoa(len(Image)))
	_, _ = io.WriteString(w, Image[:100])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// silent sends the given part of the image, which may be empty, and then sends nothing until the client disconnects.
func silent(some string) answer {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		if some != "" {
			w.Header().Set("Content-Length", strconv.Itoa(len(Image)))
			_, _ = io.WriteString(w, some)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

// redirect answers with a status code and a location, if there is one. The location OTHER is replaced with the URL of
// a path on the other server.
func redirect(code int, location string) answer {
	return func(w http.ResponseWriter, r *http.Request, _ int) {
		switch location {
		case "":
		case "OTHER":
			w.Header().Set("Location", r.Header.Get("X-Other")+"/blob")
		default:
			w.Header().Set("Location", location)
		}
		w.WriteHeader(code)
	}
}

// raw sends formatted text as the whole response, including the status line, and closes the connection.
func raw(format string, args ...any) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintf(connection, format, args...)
		_ = connection.Close()
	}
}

// encoded sends a body with a Content-Encoding header, which may be wrong.
func encoded(name string, body []byte) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Content-Encoding", name)
		_, _ = w.Write(body)
	}
}

// packed returns the image in the given encoding: gzip, zlib, or, for any other name, deflate without a header.
func packed(encoding string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zlib":
		w = zlib.NewWriter(&b)
	default:
		plain, err := flate.NewWriter(&b, flate.BestSpeed)
		if err != nil {
			panic(err)
		}
		w = plain
	}
	_, _ = io.WriteString(w, Image)
	_ = w.Close()
	return b.Bytes()
}

// sums serves a file of checksums at /sums, and the image at all other paths.
func sums(text string) answer {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		if r.URL.Path == "/sums" {
			_, _ = io.WriteString(w, text)
			return
		}
		image(w, r, n)
	}
}
