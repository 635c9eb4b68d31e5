package agent

import (
	"context"
	"crypto/md5"  //nolint:gosec // for comparison with given checksums
	"crypto/sha1" //nolint:gosec // as above
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"

	"ironworks/python"
)

// hashes holds the checksum algorithms that Ironic can send, keyed by name. Python knows more algorithms.
var hashes = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

// hashOf determines the algorithm of a checksum from its length, for checksums that are sent without the name of the
// algorithm. It rejects MD5 unless Ironic allows MD5. By default, Ironic allows it.
func hashOf(checksum string, md5Enabled bool) (func() hash.Hash, error) {
	switch len(checksum) {
	case 2 * sha512.Size:
		return sha512.New, nil
	case 2 * sha256.Size:
		return sha256.New, nil
	case 2 * md5.Size:
		if md5Enabled {
			return md5.New, nil
		}
		return nil, errors.New("MD5 support is disabled, and support will be removed in a 2024 version of Ironic.") //nolint:staticcheck // the agent's message
	default:
		return nil, errors.New("Unable to identify checksum algorithm used, and a value is not specified in the os_hash_algo setting.") //nolint:staticcheck // the agent's message
	}
}

func isURL(checksum string) bool {
	return strings.HasPrefix(checksum, "http://") || strings.HasPrefix(checksum, "https://")
}

// expected returns the checksum that the image must have, and the algorithm of that checksum. If it fails, final
// reports whether another attempt would fail in the same way.
func (a *agent) expected(ctx context.Context, info imageInfo) (sum string, newHash func() hash.Hash, final bool, err error) {
	sum, newHash = info.checksum, info.newHash
	if isURL(sum) {
		if sum, final, err = a.fetchChecksum(ctx, info); err != nil {
			return "", nil, final, err
		}
	}
	if newHash != nil {
		return sum, newHash, false, nil
	}
	if newHash, err = hashOf(sum, a.options.Images.MD5); err == nil {
		return sum, newHash, false, nil
	}
	if isURL(info.checksum) {
		return "", nil, true, newFault(commandExecution, "%v", err)
	}
	f := newFault(restError, "Unable to proceed with image %s as the checksum indicator has been used but the algorithm could not be identified. Error: %v", info.id, err)
	a.log.standby.error("%s", f.Details)
	return "", nil, true, f
}

func (a *agent) fetchChecksum(ctx context.Context, info imageInfo) (sum string, final bool, err error) {
	a.log.standby.debug("Downloading checksums file from %s", info.checksum)
	image := info.checksum
	failed := func(format string, args ...any) *fault {
		return newFault(imageDownload, "Download of image %s failed: %s", image, fmt.Sprintf(format, args...))
	}
	body, err := a.open(ctx, info, info.checksum)
	if refused, ok := errors.AsType[*refusal](err); ok {
		f := failed("%v", refused)
		if refused.permanent() && a.options.generation() == currentAgent {
			f = newFault(imageFatal, "%s", f.Details)
		}
		return "", f.Type == imageFatal, f
	}
	if err != nil {
		return "", true, newFault(commandExecution, "%v", err)
	}
	defer func() { _ = body.Close() }()
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(body, most))
	if err != nil {
		return "", true, newFault(commandExecution, "%v", err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", false, failed("Empty checksum file")
	}
	if len(lines) == 1 && !strings.Contains(lines[0], " ") {
		if a.options.generation() == legacyAgent || bareChecksum.MatchString(lines[0]) {
			return lines[0], false, nil
		}
		image = "[]" // the real agent reports its empty list of matches, not the address
		return "", false, failed("Invalid checksum file (No valid checksum found) %s", python.Repr(list{lines[0]}))
	}
	var name string
	if address, err := url.Parse(info.urls[0]); err == nil {
		name = path.Base(address.Path)
	}
	for _, line := range lines {
		sum, found, err := a.options.generation().checksumIn(line, name)
		if sum != "" || err != nil {
			return sum, err != nil, err
		}
		if found != "" {
			image = found // the real agent reports its match in place of the address
		}
	}
	return "", false, failed("Checksum file does not contain name %s", name)
}

var (
	bareChecksum  = regexp.MustCompile(`^([a-fA-F\d]{32}|[a-fA-F\d]{64}|[a-fA-F\d]{128})$`)
	firstChecksum = regexp.MustCompile(`^([a-fA-F\d]{32}|[a-fA-F\d]{64}|[a-fA-F\d]{128})\s`)
	lastChecksum  = regexp.MustCompile(`\s([a-fA-F\d]{32}|[a-fA-F\d]{64}|[a-fA-F\d]{128})$`)
)

// checksumIn searches a line of a checksum file and returns the checksum of the file with the given name. Lines have
// the form "SUM NAME" or "SUM *NAME". All agents except old ones also accept the BSD form "SHA256 (NAME) = SUM". If
// the line contains no such checksum, found is the text that the real agent quotes in its error message.
func (a generation) checksumIn(line, name string) (sum, found string, err error) {
	if a == legacyAgent {
		words := strings.Fields(line)
		if len(words) == 1 {
			return "", "", newFault(commandExecution, "not enough values to unpack (expected 2, got 1)")
		}
		_, rest, _ := strings.Cut(line, words[0])
		if strings.TrimLeft(strings.TrimSpace(rest), "*") == name {
			return words[0], "", nil
		}
		return "", words[0], nil
	}
	quoted := regexp.QuoteMeta(name)
	named := regexp.MustCompile(`\s[*]?` + quoted + `$|\s\(` + quoted + `\)\s`)
	if strings.HasPrefix(line, "#") || !named.MatchString(line) {
		return "", "", nil
	}
	for _, form := range []*regexp.Regexp{firstChecksum, lastChecksum} {
		if match := form.FindStringSubmatch(line); match != nil {
			return match[1], "", nil
		}
	}
	return "", "[]", nil
}
