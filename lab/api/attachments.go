package api

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ironworks/lab/db"
)

var vifSchema = &schema{
	Types: []string{"object"}, Properties: map[string]*schema{"id": plainText}, Required: []string{"id"},
}

func (c *call) routeVIFs(ident string, rest []string) (any, error) {
	id := required("vif_id", checkIdent)
	if c.request.Method == http.MethodDelete && len(rest) > 0 {
		id, rest = fromPath("vif_id", rest[0], checkIdent), rest[1:]
	}
	return methods{
		http.MethodGet:    c.showVIFs(ident),
		http.MethodPost:   c.noContent(c.addVIF(ident)),
		http.MethodDelete: c.noContent(c.deleteVIF(ident, id)),
	}.serve(c, rest...)
}

func (c *call) showVIFs(ident string) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, _ arguments) (any, error) {
		vifs, err := c.conductor().VIFs(c.ctx(), node.UUID)
		if err != nil {
			return nil, err
		}
		return map[string]any{"vifs": append([]db.Dict{}, vifs...)}, nil
	})
}

func (c *call) addVIF(ident string) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, args arguments) (any, error) {
		vif := args.object("vif")
		if hasKey(vif, "port_uuid") && hasKey(vif, "portgroup_uuid") && c.atLeast(67) {
			return nil, invalid("Cannot specify both port_uuid and portgroup_uuid")
		}
		return nil, c.conductor().AttachVIF(c.ctx(), node.UUID, vif)
	}, wholeBody("vif", checkObject(vifSchema, []param{optional("id", checkIdent)})))
}

func (c *call) deleteVIF(ident string, id param) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, args arguments) (any, error) {
		return nil, c.conductor().DetachVIF(c.ctx(), node.UUID, args.text("vif_id"))
	}, id)
}

var mediaDevices = []string{"disk", "cdrom", "floppy"}

// mediaSchemes lists the URL schemes of images that can be attached.
var mediaSchemes = []string{"http", "https", "nfs", "cifs", "smb"}

var mediaSchema = &schema{
	Types: []string{"object"}, Required: []string{"device_type", "image_url"}, Closed: true,
	Properties: map[string]*schema{
		"device_type": {Types: []string{"string"}, Enum: mediaDevices}, "image_url": plainText,
		"image_download_source": {Types: []string{"string"}, Enum: []string{"http", "local", "swift"}},
	},
}

func (c *call) routeMedia(ident string, rest []string) (any, error) {
	return methods{
		http.MethodGet: c.showMedia(ident), http.MethodPost: c.noContent(c.attachMedia(ident)),
		http.MethodDelete: c.noContent(c.detachMedia(ident)),
	}.serve(c, rest...)
}

func (c *call) showMedia(ident string) endpoint {
	if !c.atLeast(93) {
		return func() (any, error) { return c.refused(noSuchResource()) }
	}
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, _ arguments) (any, error) {
		media, err := c.conductor().Media(c.ctx(), node.UUID)
		if err != nil {
			return nil, err
		}
		return append([]db.Dict{}, media...), nil
	})
}

// checkMedia checks a medium against the schema and checks the URL scheme of its image.
func checkMedia(name string, value any) (any, error) {
	if _, err := checkSchema(mediaSchema)(name, value); err != nil {
		return nil, err
	}
	scheme := ""
	if parsed, err := url.Parse(object(value).Text("image_url")); err == nil {
		scheme = parsed.Scheme
	}
	if !slices.Contains(mediaSchemes, scheme) {
		return nil, invalid("Unsupported or missing URL scheme: %s", scheme)
	}
	return value, nil
}

func (c *call) attachMedia(ident string) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, args arguments) (any, error) {
		media := args.object("vmedia")
		source := cmp.Or(media.Text("image_download_source"), "local")
		return nil, c.conductor().AttachMedia(c.ctx(), node.UUID, media.Text("device_type"), media.Text("image_url"), source)
	}, wholeBody("vmedia", checkMedia))
}

// checkDevices checks that a list contains only known device types.
func checkDevices(name string, value any) (any, error) {
	list, err := checkList(name, value)
	devices, _ := list.([]string)
	wrong := slices.DeleteFunc(slices.Clone(devices), func(d string) bool { return slices.Contains(mediaDevices, d) })
	if err == nil && len(wrong) > 0 {
		err = invalid("Invalid device type(s) %s (valid are %s)", strings.Join(wrong, ", "), strings.Join(mediaDevices, ", "))
	}
	return list, err
}

func (c *call) detachMedia(ident string) endpoint {
	return c.onNode(ident, http.StatusBadRequest, func(node *db.Node, args arguments) (any, error) {
		return nil, c.conductor().DetachMedia(c.ctx(), node.UUID, args.list("device_types"))
	}, optional("device_types", checkDevices))
}
