package api

import "net/http"

// routeEvents handles /events. POST would report network changes, which the lab does not have.
func (c *call) routeEvents([]string) (any, error) {
	if c.request.Method == http.MethodPost {
		return nil, errNoRoute
	}
	return nil, notAllowed(http.MethodPost)
}
