package provision

import (
	"context"
	"fmt"

	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/models/explain"
	"ironworks/models/plan"
)

// ISOLook is what asking for a ramdisk's ISO from here shows. Who boots it may have another
// way to it.
type ISOLook struct {
	// Address is safe to show.
	Address string `json:"address"`
	// Readable is empty where nobody could be asked: an image of Glance, a file of the
	// conductor.
	Readable explain.Answer `json:"readable"`
	// Text is one clause that says what was seen.
	Text string `json:"text"`
}

// LookAtISO asks for the beginning of an ISO.
func LookAtISO(ctx context.Context, web ImageWeb, address string) ISOLook {
	look := ISOLook{Address: models.Printable(models.MaskURL(address))}
	if file := (plan.BootFile{Address: address}); !file.OnTheWeb() {
		look.Text = "not to be asked from here: no address of a web server"
		return look
	}
	answer, head, total := askFile(ctx, web, address)
	look.Readable = explain.AnswerNo
	switch {
	case answer.Error != "":
		look.Text = answer.Error
	case answer.Status/100 != 2:
		look.Text = fmt.Sprintf("the server answers %d", answer.Status)
	case !doctor.IsISO(head):
		look.Text = "what the server gives is no ISO 9660 image"
	default:
		look.Readable, look.Text = explain.AnswerYes, "it can be read from here"
		if total > 0 {
			look.Text += ", " + models.FormatBytes(total)
		}
	}
	return look
}
