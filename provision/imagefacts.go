package provision

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// ImageWeb asks web servers about images; *[Web] does it with HTTP. Its answers come
// after redirects. An error says that there was no answer.
type ImageWeb interface {
	// Head asks for the headers alone.
	Head(ctx context.Context, address string) (WebAnswer, error)
	// Get reads at most most bytes. A part asks the server for no more than these.
	Get(ctx context.Context, address string, most int, part bool) (WebAnswer, []byte, error)
}

// WebAnswer is an answer of a web server.
type WebAnswer struct {
	Status int
	// Length is that of the body, Total that of the whole of which it is a part, in
	// bytes; -1 where the server does not say.
	Length, Total int64
	// Landed is the address that redirects led to; empty without any.
	Landed string
}

// Bounds of what is asked of web servers.
const (
	// webPatience is how long an answer may take.
	webPatience = 10 * time.Second
	// checksumsMost is how much of a file of checksums is read: those of Debian's
	// releases have 60 KiB.
	checksumsMost = 1 << 20
	// imageHeadMost is how much of an image is read: its kind and size stand in front.
	imageHeadMost = 512
)

// imageLooks keeps what was asked, so that the nodes of a plan ask once for their image.
type imageLooks struct {
	mu    sync.Mutex
	looks map[[2]string]*imageLook
}

type imageLook struct {
	once  sync.Once
	facts *plan.ImageFacts
}

// image asks about the image of a direct deployment; nil where nobody can be asked.
func (p *Preflighter) image(ctx context.Context, f *plan.Facts) *plan.ImageFacts {
	image, web := f.WebImage()
	if p.Images == nil || !web {
		return nil
	}
	key := [2]string{image.Source, image.Checksum}
	p.images.mu.Lock()
	look := p.images.looks[key]
	if look == nil {
		if p.images.looks == nil {
			p.images.looks = map[[2]string]*imageLook{}
		}
		look = &imageLook{}
		p.images.looks[key] = look
	}
	p.images.mu.Unlock()
	look.once.Do(func() { look.facts = askImage(ctx, p.Images, image) })
	return look.facts
}

// webFault is why there was no answer, without the address, which may hold secrets.
func webFault(err error) string {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %s", webPatience)
	}
	return models.Printable(err.Error())
}

// askWeb waits for an answer for as long as is worth it.
func askWeb(ctx context.Context, send func(ctx context.Context) (WebAnswer, error)) plan.WebAnswer {
	ctx, cancel := context.WithTimeout(ctx, webPatience)
	defer cancel()
	a, err := send(ctx)
	if err != nil {
		return plan.WebAnswer{Error: webFault(err)}
	}
	return plan.WebAnswer{Status: a.Status, Length: a.Length, Landed: models.Printable(models.MaskURL(a.Landed))}
}

func askImage(ctx context.Context, web ImageWeb, image plan.Image) *plan.ImageFacts {
	f := &plan.ImageFacts{HeadTotal: -1}
	f.Image = askWeb(ctx, func(ctx context.Context) (WebAnswer, error) { return web.Head(ctx, image.Source) })
	if f.Image.Error == "" && f.Image.Status/100 == 2 {
		askWeb(ctx, func(ctx context.Context) (WebAnswer, error) {
			a, head, err := web.Get(ctx, image.Source, imageHeadMost, true)
			if err == nil && a.Status/100 == 2 {
				f.Head, f.HeadTotal = head, a.Total
			}
			return a, err
		})
	}
	lower := strings.ToLower(image.Checksum)
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		return f
	}
	c := &plan.ChecksumFile{}
	c.WebAnswer = askWeb(ctx, func(ctx context.Context) (WebAnswer, error) {
		a, text, err := web.Get(ctx, image.Checksum, checksumsMost+1, false)
		c.Text, c.Cut = string(text[:min(len(text), checksumsMost)]), len(text) > checksumsMost
		return a, err
	})
	f.Checksums = c
	return f
}
