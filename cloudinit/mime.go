package cloudinit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"

	"go.yaml.in/yaml/v3"
)

func checkMIME(data []byte, depth int) []Problem {
	message, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return fails("MIME: %v", err)
	}
	kind, params, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return fails("MIME: Content-Type: %v", err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		return checkPart(kind, message.Header.Get("Content-Transfer-Encoding"), message.Body, depth)
	}
	if params["boundary"] == "" {
		return fails("MIME: %s has no boundary", kind)
	}
	parts := multipart.NewReader(message.Body, params["boundary"])
	var problems []Problem
	for n := 1; ; n++ {
		part, err := parts.NextRawPart()
		switch {
		case errors.Is(err, io.EOF) && n == 1:
			return append(problems, fails("MIME: no parts")...)
		case errors.Is(err, io.EOF):
			return problems
		case err != nil:
			return append(problems, fails("MIME: part %d: %v", n, err)...)
		}
		kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil {
			kind = "text/plain"
		}
		for _, p := range checkPart(kind, part.Header.Get("Content-Transfer-Encoding"), part, depth) {
			p.Text = fmt.Sprintf("part %d (%s): %s", n, kind, p)
			p.Line, p.Column = 0, 0
			problems = append(problems, p)
		}
	}
}

// checkPart checks a part of a MIME message. For text/plain, the first line of the content determines the type.
func checkPart(kind, encoding string, body io.Reader, depth int) []Problem {
	if strings.EqualFold(encoding, "base64") {
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	content, err := io.ReadAll(io.LimitReader(body, maxUnpacked))
	if err != nil {
		return fails("%v", err)
	}
	switch kind {
	case "text/cloud-config":
		return checkCloudConfig(content)
	case "text/x-shellscript":
		if line, _, _ := strings.Cut(string(content), "\n"); strings.HasPrefix(line, "#!") {
			return checkScript(line)
		}
		return fails("a script must start with #! and its interpreter")
	case "text/plain":
		return check(content, depth+1)
	case "text/cloud-config-archive", "text/jinja2", "text/cloud-boothook", "text/part-handler", "text/x-include-url", "text/x-include-once-url",
		"text/x-shellscript-per-boot", "text/x-shellscript-per-instance", "text/x-shellscript-per-once":
		return nil
	}
	return []Problem{{Text: "cloud-init ignores parts of this type"}}
}

// checkArchive checks a cloud-config archive. Each of its elements is either text or a mapping. A mapping contains
// the text under the content key, and may also have a type key.
func checkArchive(data []byte, depth int) []Problem {
	var items []any
	if err := yaml.Unmarshal(data, &items); err != nil {
		return yamlProblem(err)
	}
	var problems []Problem
	for i, item := range items {
		text, isText := item.(string)
		if object, is := item.(map[string]any); is {
			text, isText = object["content"].(string)
			if _, typed := object["type"]; typed && isText {
				continue
			}
		}
		if !isText {
			problems = append(problems, fails("item %d has neither text nor content", i+1)...)
			continue
		}
		for _, p := range check([]byte(text), depth+1) {
			problems = append(problems, Problem{Error: p.Error, Text: fmt.Sprintf("item %d: %s", i+1, p)})
		}
	}
	return problems
}
