package api

import (
	"net/http"

	"ironworks/lab/db"
)

// absent are collections of what the embedded Ironic never has, with the
// version that brought them. They can be read and are empty; what would change
// them is no route.
var absent = map[string]int{"chassis": 1, "volume": 32, "runbooks": 92, "inspection_rules": 96}

// routeAbsent is everything below one of them.
func (c *call) routeAbsent(name string, rest []string) (any, error) {
	if c.request.Method != http.MethodGet {
		return nil, errNoRoute
	}
	if !c.atLeast(absent[name]) {
		if name == "runbooks" || name == "inspection_rules" {
			return nil, errNoRoute
		}
		return nil, notServed(http.StatusNotFound, notSupported)
	}
	switch {
	case name == "volume":
		return c.showVolume("volume", rest)
	case len(rest) == 0 || name == "chassis" && rest[0] == "detail":
		return map[string]any{name: []any{}}, nil
	case name == "chassis":
		if _, err := checkUUID("chassis_uuid", rest[0]); err != nil {
			return nil, err
		}
		return nil, noChassis(rest[0], http.StatusNotFound)
	case name == "runbooks":
		return nil, db.Faultf(http.StatusNotFound, "RunbookNotFound", "Runbook %s could not be found.", rest[0])
	default:
		return nil, db.Faultf(http.StatusNotFound, "InspectionRuleNotFound", "Rule %s could not be found.", rest[0])
	}
}

// showVolume is what there is of volumes, below a node too: none.
func (c *call) showVolume(path string, rest []string) (any, error) {
	if c.request.Method != http.MethodGet {
		return nil, errNoRoute
	}
	switch {
	case len(rest) == 0:
		return inOrder("volume", map[string]any{
			"links": c.links(path + "/"), "connectors": c.links(path + "/connectors"), "targets": c.links(path + "/targets"),
		}), nil
	case rest[0] == "connectors" && len(rest) == 1:
		return map[string]any{"connectors": []any{}}, nil
	case rest[0] == "targets" && len(rest) == 1:
		return map[string]any{"targets": []any{}}, nil
	case rest[0] == "connectors":
		return nil, db.Faultf(http.StatusNotFound, "VolumeConnectorNotFound", "Volume connector %s could not be found.", rest[1])
	case rest[0] == "targets":
		return nil, db.Faultf(http.StatusNotFound, "VolumeTargetNotFound", "Volume target %s could not be found.", rest[1])
	default:
		return nil, errNoRoute
	}
}
