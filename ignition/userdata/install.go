package userdata

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/gzip"
)

// wrapperSpec is the first spec version that allows compression of merged parts. The inner configuration may have a
// higher version, because Ignition parses each configuration separately.
const wrapperSpec Spec = 1

// RefusedError reports that user data contains errors and therefore is not sent.
type RefusedError struct {
	// Report lists all problems of the user data.
	Report Report
}

// Error describes the first error and states the number of further errors.
func (e *RefusedError) Error() string {
	problems := e.Report.Errors()
	if len(problems) == 0 {
		return "user data not checked"
	}
	more := ""
	if others := len(problems) - 1; others > 0 {
		more = fmt.Sprintf(" (and %d more)", others)
	}
	return fmt.Sprintf("user data (%s) refused: %s%s", e.Report.Kind, problems[0], more)
}

// ForInstall returns the user_data object for the configdrive of an installation with install_coreos. It wraps the
// checked configuration as a merged part of another configuration. The agent adds its own /etc/hostname to the outer
// configuration. If the inner one contains the same file, there is no conflict, because the inner one takes
// precedence. ForInstall returns a [RefusedError] if the report contains errors.
func ForInstall(r Report) (json.RawMessage, error) {
	if r.sent == nil || !r.OK() {
		return nil, &RefusedError{Report: r}
	}
	return bytes.Clone(r.sent), nil
}

// wrapped returns a configuration that merges config as a compressed part, and the size of that part.
func wrapped(config []byte) (sent []byte, packed int) {
	var b bytes.Buffer
	// Neither call can fail, because the level is valid and writing to a buffer always succeeds.
	z, _ := gzip.NewWriterLevel(&b, gzip.DefaultCompression)
	_, _ = z.Write(config)
	_ = z.Close()
	packed = b.Len()
	sent = fmt.Appendf(nil, `{"ignition":{"version":%q,"config":{"merge":[{"compression":"gzip","source":"data:;base64,%s"}]}}}`,
		wrapperSpec, base64.StdEncoding.EncodeToString(b.Bytes()))
	return sent, packed
}

func (c *checker) sizes(raw []byte) {
	sizes := SizesSummary{Raw: len(raw)}
	if c.config != nil {
		c.sent, sizes.Gzip = wrapped(c.config)
		sizes.Ignition, sizes.Sent = len(c.config), len(c.sent)
		limit := func(name string, used, limit int) {
			sizes.Limits = append(sizes.Limits, LimitSummary{Name: name, Used: used, Limit: limit, Fits: used <= limit})
		}
		limit("embed area of a live image (packed)", sizes.Gzip+archiveOverhead, EmbedLimit)
		limit("Ironic's limit for a PATCH (as sent)", sizes.Sent, PatchLimit)
		limit("Ironic's limit for a deployment (as sent)", sizes.Sent, ProvisionLimit)
		switch {
		case sizes.Sent > ProvisionLimit:
			c.report(IDTooLarge, "$", place{}, fmt.Sprintf("%d bytes (as sent) exceed Ironic's limit of %d for a deployment: host large files elsewhere and refer to them", sizes.Sent, ProvisionLimit))
		case sizes.Sent > PatchLimit:
			c.report(IDOverPatchLimit, "$", place{}, fmt.Sprintf("%d bytes (as sent) exceed Ironic's limit of %d for a PATCH of instance_info: send the data with the deployment, as the console does", sizes.Sent, PatchLimit))
		}
		if sizes.Gzip+archiveOverhead > EmbedLimit {
			c.report(IDOverEmbedArea, "$", place{}, fmt.Sprintf("%d bytes (packed) exceed a live image's embed area of %d: the configuration can be deployed, but not embedded", sizes.Gzip+archiveOverhead, EmbedLimit))
		}
	}
	c.summary.Sizes = sizes
}

// archiveOverhead is about the number of bytes that a live image's archive needs besides the configuration.
const archiveOverhead = 128
