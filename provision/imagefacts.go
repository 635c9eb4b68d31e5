package provision

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
)

// ImageWeb queries web servers about images; *[Web] does so over HTTP. It follows redirects, and returns the last
// answer. An error means that there was no answer.
type ImageWeb interface {
	// Head requests only the headers.
	Head(ctx context.Context, address string) (WebAnswer, error)
	// Get reads the start of the body. It stops when it has read the number of bytes given by most. If part is true,
	// it requests only these bytes from the server.
	Get(ctx context.Context, address string, most int, part bool) (WebAnswer, []byte, error)
}

// WebAnswer describes the response of a web server.
type WebAnswer struct {
	Status int
	// Length is the size of the body. If the body is only a part of the file, Total is the size of the whole file.
	// Both are in bytes, or -1 if unknown.
	Length, Total int64
	// FinalURL is the address after redirects. It is empty if there was no redirect.
	FinalURL string
}

// The limits of requests to web servers.
const (
	// webTimeout is the maximum time to wait for an answer.
	webTimeout = 10 * time.Second
	// maxChecksumBytes is the maximum number of bytes that are read from a checksum file. For comparison, the files
	// of Debian's releases have 60 KiB.
	maxChecksumBytes = 1 << 20
	// imageHeadBytes is the number of bytes that are read from an image. Its format and size are at the start.
	imageHeadBytes = 512
)

// image queries the image of a direct deployment, once for all nodes. It returns nil if the image is not on a web
// server, or if images are not queried.
func (p *Preflighter) image(ctx context.Context, f *plan.Facts) *plan.ImageFacts {
	image, web := f.WebImage()
	if p.Images == nil || !web {
		return nil
	}
	facts, _ := p.images.get(image.Source+"\n"+image.Checksum, func() (*plan.ImageFacts, error) { return queryImage(ctx, p.Images, image), nil })
	return facts
}

// webFault returns the reason why a web server did not answer. It omits the address, which may contain secrets.
func webFault(err error) string {
	if of, is := errors.AsType[*url.Error](err); is {
		err = of.Err // without the address
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %s", webTimeout)
	}
	return printable.Line(err.Error())
}

// queryWeb calls send with a time limit. If there was no answer, the returned answer contains the error.
func queryWeb(ctx context.Context, send func(ctx context.Context) (WebAnswer, error)) plan.WebAnswer {
	ctx, cancel := context.WithTimeout(ctx, webTimeout)
	defer cancel()
	a, err := send(ctx)
	if err != nil {
		return plan.WebAnswer{Error: webFault(err)}
	}
	return plan.WebAnswer{Status: a.Status, Length: a.Length, FinalURL: printable.Line(models.MaskURL(a.FinalURL))}
}

// queryStart requests the headers of the file at address and, if there is such a file, up to most bytes of its start.
// total is the size of the file that the response with the start reports, or -1 if it is unknown.
func queryStart(ctx context.Context, web ImageWeb, address string, most int) (answer plan.WebAnswer, head []byte, total int64) {
	total = -1
	answer = queryWeb(ctx, func(ctx context.Context) (WebAnswer, error) { return web.Head(ctx, address) })
	if answer.Error != "" || answer.Status/100 != 2 {
		return answer, nil, total
	}
	queryWeb(ctx, func(ctx context.Context) (WebAnswer, error) {
		a, text, err := web.Get(ctx, address, most, true)
		if err == nil && a.Status/100 == 2 {
			head, total = text, a.Total
		}
		return a, err
	})
	return answer, head, total
}

func queryImage(ctx context.Context, web ImageWeb, image plan.Image) *plan.ImageFacts {
	f := &plan.ImageFacts{}
	f.Image, f.Head, f.HeadTotal = queryStart(ctx, web, image.Source, imageHeadBytes)
	if file := (plan.BootFile{Address: image.Checksum}); !file.OnTheWeb() {
		return f
	}
	c := &plan.ChecksumFile{}
	c.WebAnswer = queryWeb(ctx, func(ctx context.Context) (WebAnswer, error) {
		a, text, err := web.Get(ctx, image.Checksum, maxChecksumBytes+1, false)
		c.Text, c.Cut = string(text[:min(len(text), maxChecksumBytes)]), len(text) > maxChecksumBytes
		return a, err
	})
	f.Checksums = c
	return f
}
