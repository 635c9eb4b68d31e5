package provision

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"ironworks/models"
)

// ISOLook is what asking for a ramdisk's ISO from here shows. Who boots it may have another
// way to it.
type ISOLook struct {
	// Address is safe to show.
	Address string `json:"address"`
	// Readable is empty where nobody could be asked: an image of Glance, a file of the
	// conductor.
	Readable models.Answer `json:"readable"`
	// Text is one clause that says what was seen.
	Text string `json:"text"`
}

// An ISO 9660 says what it is at the beginning of its seventeenth sector.
const (
	isoMark      = "CD001"
	isoMarkAt    = 16*2048 + 1
	isoHeadBytes = isoMarkAt + len(isoMark)
)

// LookAtISO asks for the beginning of an ISO, at most webPatience long.
func LookAtISO(ctx context.Context, web ImageWeb, address string) ISOLook {
	look := ISOLook{Address: models.Printable(models.MaskURL(address))}
	lower := strings.ToLower(address)
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		look.Text = "not to be asked from here: no address of a web server"
		return look
	}
	ctx, cancel := context.WithTimeout(ctx, webPatience)
	defer cancel()
	a, head, err := web.Get(ctx, address, isoHeadBytes, true)
	look.Readable = models.AnswerNo
	switch {
	case err != nil:
		look.Text = webFault(err)
	case a.Status/100 != 2:
		look.Text = fmt.Sprintf("the server answers %d", a.Status)
	case len(head) < isoHeadBytes:
		look.Text = fmt.Sprintf("it has %d bytes: no ISO is so small", len(head))
	case !bytes.Equal(head[isoMarkAt:], []byte(isoMark)):
		look.Text = "what the server gives is no ISO 9660 image"
	default:
		look.Readable, look.Text = models.AnswerYes, "it can be read from here"
		if a.Total > 0 {
			look.Text += ", " + models.FormatBytes(a.Total)
		}
	}
	return look
}
