package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ironworks/lab/db"
)

var mediaDevices = []string{"disk", "cdrom", "floppy"}

// mediaSchemes are the schemes of images that can be attached.
var mediaSchemes = []string{"http", "https", "nfs", "cifs", "smb"}

var mediaSchema = &schema{
	types: []string{"object"}, required: []string{"device_type", "image_url"}, closed: true,
	properties: map[string]*schema{
		"device_type": {types: []string{"string"}, enum: mediaDevices}, "image_url": plainText,
		"image_download_source": {types: []string{"string"}, enum: []string{"http", "local", "swift"}},
	},
}

func (c *call) routeMedia(ident string, rest []string) (any, error) {
	if len(rest) > 0 {
		return nil, notAllowed(http.MethodDelete, http.MethodGet, http.MethodPost)
	}
	return methods{
		http.MethodGet:    func() (any, error) { return c.showMedia(ident) },
		http.MethodPost:   c.emptied(func() (any, error) { return c.attachMedia(ident) }),
		http.MethodDelete: c.emptied(func() (any, error) { return c.detachMedia(ident) }),
	}.serve(c)
}

func (c *call) showMedia(ident string) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	if !c.atLeast(93) {
		return nil, noSuchResource()
	}
	node, err := c.nodeForParts(ident)
	if err != nil {
		return nil, err
	}
	media, err := c.conductor().Media(c.ctx(), node.UUID)
	if err != nil {
		return nil, err
	}
	if media == nil {
		media = []db.Dict{}
	}
	return media, nil
}

func (c *call) attachMedia(ident string) (any, error) {
	args, err := c.takeWithBody("vmedia", checkSchema(mediaSchema))
	if err != nil {
		return nil, err
	}
	object, _ := args["vmedia"].(map[string]any)
	media := db.Dict(object)
	scheme := ""
	if parsed, err := url.Parse(media.Text("image_url")); err == nil {
		scheme = parsed.Scheme
	}
	if !slices.Contains(mediaSchemes, scheme) {
		return nil, invalid("Unsupported or missing URL scheme: %s", scheme)
	}
	node, err := c.nodeForParts(ident)
	if err != nil {
		return nil, err
	}
	source := media.Text("image_download_source")
	if source == "" {
		source = "local"
	}
	return nil, c.conductor().AttachMedia(c.ctx(), node.UUID, media.Text("device_type"), media.Text("image_url"), source)
}

func (c *call) detachMedia(ident string) (any, error) {
	args, err := c.take(optional("device_types", checkList))
	if err != nil {
		return nil, err
	}
	devices := args.list("device_types")
	wrong := slices.DeleteFunc(slices.Clone(devices), func(d string) bool { return slices.Contains(mediaDevices, d) })
	if len(wrong) > 0 {
		return nil, invalid("Invalid device type(s) %s (valid are %s)", strings.Join(wrong, ", "),
			strings.Join(mediaDevices, ", "))
	}
	node, err := c.nodeForParts(ident)
	if err != nil {
		return nil, err
	}
	return nil, c.conductor().DetachMedia(c.ctx(), node.UUID, devices)
}
