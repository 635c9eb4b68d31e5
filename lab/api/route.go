package api

import (
	"net/http"

	"ironworks/lab/db"
)

// route calls the controller that serves the path. The version may be missing: /nodes is the same as /v1/nodes.
func (c *call) route() (any, error) {
	if len(c.path) == 0 {
		return c.showRoot(), nil
	}
	if c.malformed != nil {
		return nil, c.malformed
	}
	rest := c.path
	if rest[0] == "v1" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		if c.request.Method != http.MethodGet && c.request.Method != http.MethodHead {
			return nil, db.Faultf(http.StatusMethodNotAllowed, "", "%s", malformedRequest)
		}
		return c.showV1(), nil
	}
	controllers := map[string]func([]string) (any, error){
		"chassis":          c.routeChassis,
		"nodes":            c.routeNodes,
		"ports":            func(rest []string) (any, error) { return c.routePorts(rest, portParent{}) },
		"portgroups":       func(rest []string) (any, error) { return c.routePortgroups(rest, "") },
		"drivers":          c.routeDrivers,
		"events":           c.routeEvents,
		"conductors":       c.routeConductors,
		"allocations":      c.routeAllocations,
		"deploy_templates": c.routeTemplates,
		"inspection_rules": c.routeRules,
		"volume":           func(rest []string) (any, error) { return c.routeVolume(rest, "") },
		"runbooks":         c.routeRunbooks,
		"shards":           c.routeShards,
		"lookup": func(rest []string) (any, error) {
			return methods{http.MethodGet: c.lookup}.serve(c, rest...)
		},
		"heartbeat": c.routeHeartbeat,
		"continue_inspection": func(rest []string) (any, error) {
			return methods{http.MethodPost: c.accepted(c.continueInspection)}.serve(c, rest...)
		},
	}
	if controller, ok := controllers[rest[0]]; ok {
		return controller(rest[1:])
	}
	return nil, errNoRoute
}

func (c *call) versionDocument() document {
	return inOrder("version", map[string]any{
		"id": "v1", "links": []link{{Href: c.url + "/v1/", Rel: "self"}}, "status": "CURRENT",
		"min_version": versionText(minMinor), "version": versionText(maxMinor),
	})
}

func (c *call) showRoot() any {
	return inOrder("root", map[string]any{
		"name": "OpenStack Ironic API",
		"description": "Ironic is an OpenStack project which enables the provision and management of baremetal " +
			"machines.",
		"default_version": c.versionDocument(), "versions": []any{c.versionDocument()},
	})
}

// resources maps the collections in the root document to the minor versions that introduced them.
var resources = map[string]int{
	"nodes": 1, "ports": 1, "drivers": 1, "portgroups": 23, "lookup": 22, "heartbeat": 22, "conductors": 49,
	"allocations": 52, "deploy_templates": 55, "shards": 82, "continue_inspection": 84, "chassis": 1, "volume": 32,
	"events": 54, "runbooks": runbookVersion, "inspection_rules": ruleVersion,
}

func (c *call) showV1() any {
	root := map[string]any{
		"id": "v1",
		"links": []link{
			{Href: c.url + "/v1/", Rel: "self"},
			{Href: "https://docs.openstack.org//ironic/latest/contributor//webapi.html", Rel: "describedby", Type: "text/html"},
		},
		"media_types": map[string]string{"base": "application/json", "type": "application/vnd.openstack.ironic.v1+json"},
		"version":     c.versionDocument(),
	}
	for name, minor := range resources {
		if c.atLeast(minor) {
			root[name] = c.links(name + "/")
		}
	}
	return inOrder("v1", root)
}

// routeEvents handles /events. In Ironic, POST reports network events, which the lab does not have.
func (c *call) routeEvents([]string) (any, error) {
	if c.request.Method == http.MethodPost {
		return nil, errNoRoute
	}
	return nil, notAllowed(http.MethodPost)
}
