package api

import (
	_ "embed"
	"encoding/json"
	"net/http"
)

// vendorMethods maps vendor interfaces to their methods, as 39.0.0 lists them.
//
//go:embed vendormethods.json
var vendorMethods []byte

// vendorPassthru lists vendor methods, but refuses to call them. find returns the name of the vendor interface of the
// node or driver, or an empty string if it has none.
func (c *call) vendorPassthru(rest []string, find func() (vendor string, err error)) (any, error) {
	if len(rest) == 0 {
		return c.missing("method")()
	}
	if rest[0] != "methods" || c.request.Method != http.MethodGet {
		return nil, errNoRoute
	}
	vendor, err := find()
	if err != nil {
		return nil, err
	}
	var all map[string]map[string]any
	if err := json.Unmarshal(vendorMethods, &all); err != nil {
		return nil, err
	}
	if methods, has := all[vendor]; has {
		return methods, nil
	}
	return map[string]any{}, nil
}
