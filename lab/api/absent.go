package api

import "net/http"

// routeEvents handles /events. POST would report network changes, which the lab does not have.
func (c *call) routeEvents([]string) (any, error) {
	if c.request.Method == http.MethodPost {
		return nil, errNoRoute
	}
	return nil, notAllowed(http.MethodPost)
}

// vendorPassthru handles vendor methods, of which the lab's drivers have none. check validates
// what they would belong to.
func (c *call) vendorPassthru(rest []string, check func() error) (any, error) {
	if len(rest) == 0 {
		return c.missing("method")()
	}
	if rest[0] != "methods" || c.request.Method != http.MethodGet {
		return nil, errNoRoute
	}
	if err := check(); err != nil {
		return nil, err
	}
	return map[string]any{}, nil
}
