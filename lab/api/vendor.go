package api

import (
	_ "embed"
	"encoding/json"
	"net/http"
)

// vendorMethods are the methods of vendor interfaces by their names, as 39.0.0 lists them.
//
//go:embed vendormethods.json
var vendorMethods []byte

// vendorPassthru handles vendor methods. They are listed, not called. find returns the vendor interface of the object
// that has the methods; empty for none.
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
