package conductor

import (
	"context"
	"fmt"
)

// updateCache implements node_update_cache. It reads the vendor, the boot mode, the BIOS settings and the firmware
// versions from the BMC and stores them.
func (t *task) updateCache(ctx context.Context) {
	t.cacheVendor(ctx)
	t.cacheBootMode(ctx)
	if t.driver.names["bios"] == "redfish" {
		_ = t.cacheBIOS(ctx)
	}
	t.updateFirmwareCache(ctx)
}

func (t *task) cacheVendor(ctx context.Context) {
	if t.node.Properties.Text("vendor") != "" {
		return
	}
	vendor, err := t.vendor(ctx)
	if err != nil || vendor == "" || t.upgrade(ctx, locking{}) != nil {
		return
	}
	t.node.Properties["vendor"] = vendor
	t.save()
}

func (t *task) cacheBootMode(ctx context.Context) {
	mode, err := t.bootMode(ctx)
	if err != nil && !isKind(err, kindUnsupported) {
		return
	}
	secure, err := t.secureBoot(ctx)
	if err != nil && !isKind(err, kindUnsupported) {
		return
	}
	same := (secure == nil) == (t.node.SecureBoot == nil) && (secure == nil || *secure == *t.node.SecureBoot)
	if mode == t.node.BootMode && same || t.upgrade(ctx, locking{}) != nil {
		return
	}
	t.node.BootMode, t.node.SecureBoot = mode, secure
	t.save()
}

// cacheHealth reads the machine's health from the BMC and stores it in the node.
func (t *task) cacheHealth(ctx context.Context) {
	health, err := t.health(ctx)
	if err != nil || health == t.node.Health {
		return
	}
	before := t.node.Health
	if t.upgrade(ctx, locking{}) != nil {
		return
	}
	t.node.Health = health
	t.save()
	t.record(fmt.Sprintf("Node health status changed: health='%s' (previously '%s')", nameOrNone(health), nameOrNone(before)), "monitoring", false)
}
