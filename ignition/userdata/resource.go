package userdata

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

var errTooBig = errors.New("unpacks to more than 64 MiB")

// gunzip unpacks data as Ignition does. It fails if the result exceeds limit bytes.
func gunzip(data []byte, limit int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("not gzip")
	}
	content, err := io.ReadAll(io.LimitReader(r, max(limit, 0)+1))
	switch {
	case int64(len(content)) > limit:
		return nil, errTooBig
	case err != nil:
		return nil, errors.New("damaged or incomplete")
	}
	return content, nil
}

type resourceUse string

const (
	useMerge   resourceUse = "merge"
	useReplace resourceUse = "replace"
	useFile    resourceUse = "file"
	useAppend  resourceUse = "append"
	useCA      resourceUse = "certificate authority"
	useKeyFile resourceUse = "key file"
)

func (u resourceUse) config() bool { return u == useMerge || u == useReplace }

// resource checks the source of a file or of a part of the configuration. It returns the content, and reports whether
// it is known. The content of a remote resource is not known.
func (c *checker) resource(s *scope, e *element, path elementPath, use resourceUse) (content []byte, known bool) {
	c.headers(s, e, path)
	source := e.member("source")
	if source == nil || source.kind != elementString {
		return nil, false
	}
	if source.text == "" {
		return nil, true
	}
	if !strings.HasPrefix(source.text, "data:") {
		c.remoteResource(s, e, path, use)
		return nil, false
	}
	data, ok := c.dataURL(s, source.text, path.at("source"))
	if !ok {
		return nil, false
	}
	if e.str("compression") == "gzip" {
		if data, ok = c.unpackSource(s, data, path, use); !ok {
			return nil, false
		}
	} else if c.unpackLeft -= int64(len(data)); c.unpackLeft < 0 {
		c.add(s, IDUnpackedSize, path, "data URLs exceed 64 MiB in total: host large files elsewhere and refer to them")
		return nil, false
	}
	c.hash(s, e, data, path, use)
	return data, true
}

func (c *checker) unpackSource(s *scope, packed []byte, path elementPath, use resourceUse) ([]byte, bool) {
	data, err := gunzip(packed, c.unpackLeft)
	switch {
	case errors.Is(err, errTooBig):
		c.unpackLeft = 0
		c.add(s, IDUnpackedSize, path, fmt.Sprintf("packed content exceeds 64 MiB in total when unpacked, including this %s: host large files elsewhere and refer to them", use))
		return nil, false
	case err != nil:
		c.add(s, IDNotGzip, path, fmt.Sprintf("compression is gzip, but the content is not (%v), so the boot fails; compress it, or remove compression", err))
		return nil, false
	}
	c.unpackLeft -= int64(len(data))
	return data, true
}

func (c *checker) hash(s *scope, e *element, data []byte, path elementPath, use resourceUse) {
	function, want, _ := strings.Cut(e.member("verification").str("hash"), "-")
	var sum string
	switch function {
	case "sha512":
		sum = fmt.Sprintf("%x", sha512.Sum512(data))
	case "sha256":
		sum = fmt.Sprintf("%x", sha256.Sum256(data))
	default:
		return // the library reports the problem
	}
	if sum == want || !use.config() && strings.EqualFold(sum, want) {
		return
	}
	c.add(s, IDHashMismatch, path.at("verification", "hash"), fmt.Sprintf("wrong %s digest of the unpacked content, so the boot fails; the correct digest is %s", function, sum))
}

func (c *checker) remoteResource(s *scope, e *element, path elementPath, use resourceUse) {
	source := e.str("source")
	parsed, err := url.Parse(source)
	if err != nil {
		return // the library reports the problem
	}
	verified := e.member("verification").str("hash") != ""
	shown, _ := s.locate(path, false)
	c.summary.Remote = append(c.summary.Remote, RemoteSummary{
		Path: short(shown, maxPath), Use: string(use), Source: short(redactedURL(parsed), maxPath), Verified: verified,
	})
	if _, secret := parsed.User.Password(); secret {
		c.secret(s, path.at("source"), "a password in a URL")
	}
	if use.config() {
		c.remote = true
		c.add(s, IDRemoteConfig, path, "remote part of the configuration, which is not checked: check it separately")
	}
	if insecure := parsed.Scheme == "http" || parsed.Scheme == "tftp"; insecure && !verified {
		c.add(s, IDUnverifiedSource, path.at("source"), fmt.Sprintf("fetched by %s without verification: anyone on the network path can change it; use https, or add verification.hash", parsed.Scheme))
	}
}

// redactedURL returns the URL without credentials and without the query, which may contain a signature.
func redactedURL(u *url.URL) string {
	shown := *u
	if shown.User != nil {
		shown.User = url.User("…")
	}
	if shown.RawQuery != "" {
		shown.RawQuery = "…"
	}
	shown.Fragment, shown.RawFragment = "", ""
	text, err := url.PathUnescape(shown.String())
	if err != nil {
		return shown.String()
	}
	return text
}

func (c *checker) headers(s *scope, e *element, path elementPath) {
	for i, header := range e.member("httpHeaders").items() {
		name := strings.ToLower(header.str("name"))
		if header.str("value") != "" && containsAny(name, "authorization", "cookie", "token", "key", "secret", "password") {
			c.secret(s, path.at("httpHeaders", i, "value"), "an HTTP header with credentials")
		}
	}
}

// dataURL decodes a data URL in the same way as the library, and reports a problem if the URL is invalid. The library
// must receive only URLs that dataURL accepts, because it leaks a goroutine for each invalid URL.
func (c *checker) dataURL(s *scope, source string, path elementPath) ([]byte, bool) {
	rest, isData := strings.CutPrefix(source, "data:")
	if !isData {
		return nil, true
	}
	data, problem := decodeDataURL(rest)
	if problem != "" {
		c.add(s, IDBadDataURL, path, "invalid data URL: "+problem)
		return nil, false
	}
	return data, true
}

func decodeDataURL(rest string) (data []byte, problem string) {
	header, body, comma := strings.Cut(rest, ",")
	if !comma {
		return nil, "no comma before the data; use data:,text or data:;base64,…"
	}
	media, encoded := strings.CutSuffix(header, ";base64")
	if !mediaType(media) {
		if strings.EqualFold(media[max(0, len(media)-7):], ";base64") {
			return nil, "write base64 in lower case"
		}
		return nil, "invalid media type before the comma; use data:,text or data:;base64,…"
	}
	if encoded {
		data, err := base64.StdEncoding.DecodeString(body)
		switch {
		case err == nil && !strings.ContainsRune(body, '\r'):
			return data, ""
		case strings.ContainsAny(body, "-_"):
			return nil, "base64url: use + and / instead of - and _"
		case len(strings.TrimRight(strings.ReplaceAll(body, "\n", ""), "="))%4 != 0 && !strings.HasSuffix(body, "="):
			return nil, "incomplete base64, or missing = padding"
		}
		return nil, "invalid base64: encode it again"
	}
	for i := range len(body) {
		if c := body[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("<>#\"{}|\\^[]`", c) >= 0 {
			return nil, fmt.Sprintf("character %s must be escaped with %%: a space is %%20; or use data:;base64,…", quoted(body[i:i+1]))
		}
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return nil, "% without two hexadecimal digits: a percent sign is %25"
	}
	return []byte(text), ""
}

// mediaType reports whether s is a valid media type, which is the part of a data URL before the comma. It rejects
// quoted parameters, because no tool writes them, and the library fails on most of them.
func mediaType(s string) bool {
	token := func(s string) bool {
		return !strings.ContainsFunc(s, func(r rune) bool {
			return r <= ' ' || r >= 0x7f || strings.ContainsRune("()<>@,;:\\\"/[]?=%#", r)
		})
	}
	parts := strings.Split(s, ";")
	if parts[0] != "" {
		kind, sub, slash := strings.Cut(parts[0], "/")
		prefixes := []string{"text", "image", "audio", "video", "application", "message", "multipart", "x-", "X-"}
		known := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(kind, prefix) })
		if !slash || !known || !token(kind) || !token(sub) {
			return false
		}
	}
	for _, parameter := range parts[1:] {
		name, value, equals := strings.Cut(parameter, "=")
		if !equals || name == "" || value == "" || !token(name) || !token(value) {
			return false
		}
	}
	return true
}
