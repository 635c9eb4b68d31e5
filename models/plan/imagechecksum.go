package plan

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"ironworks/models"
)

// errNoChecksum is a file of checksums in which there is none for an image.
var errNoChecksum = errors.New("no checksum of the image")

// What a line of such a file has at its beginning or at its end: MD5, SHA-256 and
// SHA-512, told apart by their lengths, in the order in which they are looked for.
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

// checksumIn finds the checksum of an image in a file of checksums as Ironic and the
// agent do (ironic/common/checksum_utils.py, get_checksum_from_url): the one digest that
// the file is, or that of the first line with the name that the image's address ends
// with. The name is a pattern to them, in which + and ( mean something: a name with these
// is often not found. The error wraps [errNoChecksum].
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
		return "", fmt.Errorf("%w: its one line is no digest of md5, sha256 or sha512", errNoChecksum)
	}
	name := imageName(image)
	var named []*regexp.Regexp
	for _, shape := range []string{`\s[*]?` + name + `$`, `\s\(` + name + `\)\s`} {
		pattern, err := regexp.Compile(shape)
		if err != nil {
			return "", fmt.Errorf("%w: Ironic takes the name %q for a pattern, and it is none", errNoChecksum, models.Printable(name))
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
	return "", fmt.Errorf("%w: no line has a digest and the name %q", errNoChecksum, models.Printable(name))
}

func firstDigest(patterns []*regexp.Regexp, line string) string {
	for _, p := range patterns {
		if found := p.FindStringSubmatch(line); found != nil {
			return found[1]
		}
	}
	return ""
}

// imageName is what the path of an image's address ends with, as it is written: without
// the query and what else may follow a path (urllib.parse.urlparse).
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
