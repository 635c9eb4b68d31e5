package api

import (
	"fmt"
	"net/http"
	"strings"
)

// acceptsJSON says whether the client takes what the API answers with. One that
// says nothing does.
func acceptsJSON(header http.Header) bool {
	accept := header.Get("Accept")
	if accept == "" {
		return true
	}
	for entry := range strings.SplitSeq(accept, ",") {
		kind, _, _ := strings.Cut(entry, ";")
		switch strings.TrimSpace(kind) {
		case "*/*", "application/*", "application/json":
			return true
		}
	}
	return false
}

// refuseAccept answers a client that does not: in JSON all the same, with a
// text or with HTML in it.
func refuseAccept(w http.ResponseWriter, accept string) {
	text := fmt.Sprintf("406 Not Acceptable\n\nThe resource could not be generated that was acceptable to your browser "+
		"(content of type %s. \n\n ", accept)
	if strings.Contains(accept, "text/html") {
		text = "<html>\n <head>\n  <title>406 Not Acceptable</title>\n </head>\n <body>\n  <h1>406 Not Acceptable</h1>\n" +
			"  The resource could not be generated that was acceptable to your browser\n(content of type text/html. " +
			"<br /><br />\n\n </body>\n</html>"
	}
	writeJSON(w, http.StatusNotAcceptable, map[string]string{"error_message": text})
}
