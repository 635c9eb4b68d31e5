package doctor

import (
	"fmt"

	"ironworks/models"
)

// discoveryMinor is the minor API version that a ramdisk needs to enroll an unknown machine through
// continue_inspection (ironic/api/controllers/v1/versions.py, MINOR_84_CONTINUE_INSPECTION).
const discoveryMinor = 84

// judgeDiscovery judges whether auto-discovery is enabled. Ironic's API does not expose the [auto_discovery]enabled
// option, and a request that would reveal it would also enroll a node (ironic/api/controllers/v1/ramdisk.py,
// continue_inspection). The evidence therefore comes from the nodes: the inventory of a discovered node has
// auto_discovered in its plugin_data.
func judgeDiscovery(f *Facts) Diagnosis {
	with, _, evidence, reported := f.splitByInterface("inspect", "agent")
	const option = "the API does not show [auto_discovery]enabled"
	t := f.Nodes
	switch {
	case !f.Version.IsZero() && f.Version.Minor < discoveryMinor:
		return ok("auto-discovery not available in this Ironic: it needs API 1.84, or ironic-inspector")
	case reported && len(with) == 0:
		return ok("auto-discovery is off or has no effect: no hardware type enables agent inspection", evidence...)
	case t != nil && len(t.Discovered) > 0:
		return ok(fmt.Sprintf("auto-discovery is or was on: it has enrolled %s (filter is:discovered)", someOf(t.Discovered)),
			models.Observed("plugin_data.auto_discovered", true))
	case t == nil:
		return unknown("auto-discovery unknown: " + option + ", and no nodes were listed")
	case len(t.Nameless) > t.Undiscovered:
		return unknown(fmt.Sprintf("auto-discovery unknown: %s; %s in enroll without a name; not all inventories were read", option, models.Counted(len(t.Nameless), "node")))
	}
	return ok("no node enrolled by auto-discovery; " + option)
}
