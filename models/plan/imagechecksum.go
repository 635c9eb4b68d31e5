package plan

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"ironworks/printable"
)

var errNoChecksum = errors.New("no checksum for the image")

// Patterns for lines that consist of a checksum (digestAlone), or that begin or end with one (digestIn). They match
// MD5, SHA-256 and SHA-512 checksums, which differ in length, and are tried in this order.
var (
	digestAlone = digestPatterns(`^([a-fA-F\d]{%d})$`)
	digestIn    = digestPatterns(`^([a-fA-F\d]{%d})\s`, `\s([a-fA-F\d]{%d})$`)
)

func digestPatterns(shapes ...string) []*regexp.Regexp {
	var patterns []*regexp.Regexp
	for _, length := range []int{32, 64, 128} {
		for _, shape := range shapes {
			patterns = append(patterns, regexp.MustCompile(fmt.Sprintf(shape, length)))
		}
	}
	return patterns
}

// checksumIn finds the checksum for the given image in a checksum file, in the same way as Ironic and the agent
// (ironic/common/checksum_utils.py, get_checksum_from_url). If the file consists of a single digest, it returns that
// digest. Otherwise, it returns the digest in the first line that contains the image's file name. Ironic uses the
// name as a regular expression, so names that contain + or ( are often not found. The error wraps [errNoChecksum].
func checksumIn(text, image string) (string, error) {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	switch {
	case len(lines) == 0:
		return "", fmt.Errorf("%w: the file is empty", errNoChecksum)
	case len(lines) == 1 && !strings.Contains(lines[0], " "):
		if digest := firstDigest(digestAlone, lines[0]); digest != "" {
			return digest, nil
		}
		return "", fmt.Errorf("%w: its only line is not an md5, sha256 or sha512 digest", errNoChecksum)
	}
	name := imageName(image)
	var named []*regexp.Regexp
	for _, shape := range []string{`\s[*]?` + name + `$`, `\s\(` + name + `\)\s`} {
		pattern, err := regexp.Compile(shape)
		if err != nil {
			return "", fmt.Errorf("%w: Ironic reads the name %q as a pattern, which is invalid", errNoChecksum, printable.Line(name))
		}
		named = append(named, pattern)
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "#") || !named[0].MatchString(line) && !named[1].MatchString(line) {
			continue
		}
		if digest := firstDigest(digestIn, line); digest != "" {
			return digest, nil
		}
	}
	return "", fmt.Errorf("%w: no line has a digest for %q", errNoChecksum, printable.Line(name))
}

func firstDigest(patterns []*regexp.Regexp, line string) string {
	for _, p := range patterns {
		if found := p.FindStringSubmatch(line); found != nil {
			return found[1]
		}
	}
	return ""
}

// imageName returns the last part of the path in an image's URL, without unescaping it. As in Python's
// urllib.parse.urlparse, the path does not include the query, the fragment, or parameters after a semicolon.
func imageName(image string) string {
	rest, _, _ := strings.Cut(image, "#")
	rest, _, _ = strings.Cut(rest, "?")
	if _, after, has := strings.Cut(rest, "://"); has {
		rest = after
	}
	_, path, _ := strings.Cut(rest, "/")
	name, _, _ := strings.Cut(path[strings.LastIndex(path, "/")+1:], ";")
	return name
}
