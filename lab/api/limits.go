package api

import (
	"errors"
	"io"
	"net/http"
	"strings"
)

// Defaults of Ironic's [api] max_json_body_depth and [api] max_json_body_size* options. The sizes are in bytes.
const (
	maxDepth          = 25
	maxBody           = 1 << 20
	maxProvisionBody  = 64 << 20
	maxInspectionBody = 16 << 20
)

func sizeLimit(path string) int64 {
	path = strings.Trim(path, "/")
	switch {
	case strings.HasSuffix(path, "states/provision"):
		return maxProvisionBody
	case strings.HasSuffix(path, "continue_inspection"):
		return maxInspectionBody
	default:
		return maxBody
	}
}

// readBody reads the body of a request. It sends an error and returns false if the body is unreadable, too large or
// nested too deeply. The depth is checked only for a JSON content type. The size limit for other content types is
// maxProvisionBody.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	limit := int64(maxProvisionBody)
	isJSON := strings.Contains(r.Header.Get("Content-Type"), "json")
	if isJSON {
		limit = sizeLimit(r.URL.Path)
	}
	// The middleware sends these errors. It runs before the code that formats Ironic's other errors.
	refuse := func(status int, text string) ([]byte, bool) {
		writeJSON(w, status, map[string]string{"faultcode": "Client", "faultstring": text})
		return nil, false
	}
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuse(http.StatusRequestEntityTooLarge,
			"Request body is too large. Please contact the service administrator.")
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "The body could not be read.")
	}
	if isJSON && tooDeep(content) {
		return refuse(http.StatusBadRequest,
			"Request body JSON is nested too deeply. Please contact the service administrator.")
	}
	return content, true
}

func tooDeep(content []byte) bool {
	depth, inString, escaped := 0, false, false
	for _, char := range content {
		switch {
		case escaped:
			escaped = false
		case inString && char == '\\':
			escaped = true
		case char == '"':
			inString = !inString
		case inString:
		case char == '{' || char == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case char == '}' || char == ']':
			depth--
		}
	}
	return false
}
