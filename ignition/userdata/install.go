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

// RefusedError reports user data with errors, which is not sent.
type RefusedError struct {
	// Report has all problems.
	Report Report
}

// Error returns the first problem.
func (e *RefusedError) Error() string {
	var first *Problem
	others := 0
	for i, p := range e.Report.Problems {
		switch {
		case p.Severity != SeverityError:
		case first == nil:
			first = &e.Report.Problems[i]
		default:
			others++
		}
	}
	if first == nil {
		return "user data not checked"
	}
	more := ""
	if others > 0 {
		more = fmt.Sprintf(" (and %d more)", others)
	}
	return fmt.Sprintf("user data (%s) refused: %s%s", e.Report.Kind, *first, more)
}

// ForInstall returns the user_data object of the configdrive for an installation with install_coreos. It wraps the
// checked configuration as a merged part. The agent adds its /etc/hostname to the outer object, so it cannot conflict
// with a file of the same name: the inner part wins. ForInstall returns a [RefusedError] for a report with errors.
func ForInstall(r Report) (json.RawMessage, error) {
	if r.sent == nil || !r.OK() {
		return nil, &RefusedError{Report: r}
	}
	return bytes.Clone(r.sent), nil
}

// wrapped puts a configuration into a merged part of another.
func wrapped(config []byte) (sent []byte, packed int) {
	var b bytes.Buffer
	// Neither call can fail: the level is valid, and a buffer accepts everything.
	z, _ := gzip.NewWriterLevel(&b, gzip.DefaultCompression)
	_, _ = z.Write(config)
	_ = z.Close()
	packed = b.Len()
	sent = fmt.Appendf(nil, `{"ignition":{"version":%q,"config":{"merge":[{"compression":"gzip","source":"data:;base64,%s"}]}}}`,
		wrapperSpec, base64.StdEncoding.EncodeToString(b.Bytes()))
	return sent, packed
}

// sizes measures the user data and compares it with the limits.
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
			c.report(IDTooLarge, "$", place{}, fmt.Sprintf("%d bytes as sent exceed Ironic's limit of %d for a deployment: host large files elsewhere and refer to them", sizes.Sent, ProvisionLimit))
		case sizes.Sent > PatchLimit:
			c.report(IDOverPatchLimit, "$", place{}, fmt.Sprintf("%d bytes as sent exceed Ironic's limit of %d for a PATCH of instance_info: send it with the deployment, as the console does", sizes.Sent, PatchLimit))
		}
		if sizes.Gzip+archiveOverhead > EmbedLimit {
			c.report(IDOverEmbedArea, "$", place{}, fmt.Sprintf("%d bytes packed exceed a live image's embed area of %d: it can be deployed, but not embedded", sizes.Gzip+archiveOverhead, EmbedLimit))
		}
	}
	c.summary.Sizes = sizes
}

// archiveOverhead is the approximate size of the archive around a configuration in a live image, in bytes.
const archiveOverhead = 128
