package conductor

import (
	"context"
	"fmt"
	"slices"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/python"
)

// managing validates the node's management interface and then calls do with a task for the node.
func (c *Conductor) managing(ctx context.Context, uuid string, how locking, do func(context.Context, *task) error) error {
	return c.withTask(ctx, uuid, how, func(ctx context.Context, t *task) error {
		if err := t.validateRedfish("management"); err != nil {
			return err
		}
		return do(ctx, t)
	})
}

// inBackground clears the node's last error and arranges for a worker to call do.
func (t *task) inBackground(name string, do func(*task, context.Context)) {
	t.node.LastError = ""
	t.refused = t.recordError
	t.worker(name, do)
	t.save()
}

// SetBootMode starts changing the node's boot mode. The change continues in the background.
func (c *Conductor) SetBootMode(ctx context.Context, uuid, mode string) error {
	return c.managing(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		t.inBackground("node_change_boot_mode", func(t *task, ctx context.Context) {
			if now, err := t.bootMode(ctx); err == nil && now == mode {
				return
			}
			if err := t.changeBootMode(ctx, mode); err != nil {
				// The closing quote is missing in Ironic's message, too.
				t.node.LastError = fmt.Sprintf("Failed to change boot mode to '%s: %s", mode, messageOf(err))
			} else {
				t.node.BootMode = mode
			}
			t.save()
		})
		return nil
	})
}

// SetSecureBoot starts turning secure boot on or off. The change continues in the background.
func (c *Conductor) SetSecureBoot(ctx context.Context, uuid string, on bool) error {
	return c.managing(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		t.inBackground("node_change_secure_boot", func(t *task, ctx context.Context) {
			if now, err := t.secureBoot(ctx); err == nil && now != nil && *now == on {
				return
			}
			if err := t.changeSecureBoot(ctx, on); err != nil {
				t.node.LastError = fmt.Sprintf("Failed to change secure_boot state to '%s': %s", python.Repr(on), messageOf(err))
			} else {
				t.node.SecureBoot = &on
			}
			t.save()
		})
		return nil
	})
}

// BootDevice returns the boot device, and whether it is persistent, or nil if that is unknown.
func (c *Conductor) BootDevice(ctx context.Context, uuid string) (device string, persistent *bool, err error) {
	err = c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		device, persistent, err = t.bootDevice(ctx)
		return err
	})
	return device, persistent, err
}

// BootDevices returns the boot devices that the node supports.
func (c *Conductor) BootDevices(ctx context.Context, uuid string) (devices []string, err error) {
	err = c.withTask(ctx, uuid, locking{shared: true}, func(_ context.Context, t *task) error {
		devices = t.bootDevices()
		return nil
	})
	return devices, err
}

// SetBootDevice sets the node's boot device.
func (c *Conductor) SetBootDevice(ctx context.Context, uuid, device string, persistent bool) error {
	return c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		return t.changeBootDevice(ctx, device, persistent)
	})
}

// InjectNMI sends a non-maskable interrupt to the node's machine.
func (c *Conductor) InjectNMI(ctx context.Context, uuid string) error {
	return c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error { return t.injectNMI(ctx) })
}

// SetRAID stores the node's target RAID configuration.
func (c *Conductor) SetRAID(ctx context.Context, uuid string, target db.Dict) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if len(target) > 0 && t.driver.names["raid"] == "no-raid" {
			return unsupported(t.node.Driver, "raid")
		}
		if len(target) > 0 {
			if err := checkRAID(t.driver.names["raid"], target); err != nil {
				return err
			}
		}
		t.node.TargetRAIDConfig = target
		t.save()
		return nil
	})
}

// AttachMedia starts inserting an image into a virtual media drive of the given type.
func (c *Conductor) AttachMedia(ctx context.Context, uuid string, device, url, source string) error {
	return c.managing(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if t.node.Maintenance && t.node.Fault == faultPower {
			return db.Faultf(503, "TemporaryFailure", "Unable to attach virtual media for node %s due to power failure state", t.node.UUID)
		}
		t.inBackground("do_attach_virtual_media", func(t *task, ctx context.Context) {
			err := error(nil)
			if source == "" || source == "local" {
				url, err = c.images.publish(ctx, t.node, mediaImage(t.node.UUID, device), url)
			}
			if err == nil {
				err = t.attachMedia(ctx, device, url)
			}
			if err != nil {
				t.record(fmt.Sprintf("Could not attach device %s to node %s: %s", device, t.node.UUID, messageOf(err)), "", true)
			}
			t.save()
		})
		return nil
	})
}

// DetachMedia starts ejecting the media from the given virtual drives, or from all if devices is nil.
func (c *Conductor) DetachMedia(ctx context.Context, uuid string, devices []string) error {
	return c.managing(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if t.node.Maintenance && t.node.Fault == faultPower {
			return db.Faultf(503, "TemporaryFailure", "Unable to detach virtual media for node %s due to power failure state", t.node.UUID)
		}
		t.inBackground("run_node_action", func(t *task, ctx context.Context) {
			if err := t.detachMedia(ctx, devices); err != nil {
				shown := "None"
				if devices != nil {
					shown = python.Repr(devices)
				}
				t.record(fmt.Sprintf("Could not detach device(s) %s from node %s: %s", shown, t.node.UUID, messageOf(err)), "", true)
			}
			t.save()
		})
		return nil
	})
}

// Media returns the virtual media drives and the images inserted in them.
func (c *Conductor) Media(ctx context.Context, uuid string) (media []db.Dict, err error) {
	err = c.managing(ctx, uuid, locking{shared: true}, func(ctx context.Context, t *task) error {
		media, err = t.media(ctx)
		return err
	})
	return media, err
}

// Validate checks each of the node's interfaces except vendor.
func (c *Conductor) Validate(ctx context.Context, uuid string) (map[string]api.Validation, error) {
	results := map[string]api.Validation{}
	err := c.withTask(ctx, uuid, locking{shared: true}, func(ctx context.Context, t *task) error {
		if _, err := t.storeImageType(); err != nil {
			return err
		}
		for _, kind := range api.InterfaceKinds {
			if kind == "vendor" {
				continue
			}
			good := true
			result := api.Validation{Result: &good}
			if err := t.validateInterface(ctx, kind); err != nil {
				good = false
				result.Reason = messageOf(err)
				if !isInvalid(err) && !isKind(err, kindUnsupported) {
					result.Reason = fmt.Sprintf("Unexpected exception, traceback saved into log by ironic conductor service that is running on %s: %s", hostname, messageOf(err))
				}
			}
			results[kind] = result
		}
		return nil
	})
	return results, err
}

func (t *task) validateInterface(ctx context.Context, kind string) error {
	name := t.driver.names[kind]
	switch kind {
	case "power", "management":
		return t.validateRedfish(kind)
	case "boot":
		return t.driver.boot.validate(ctx, t)
	case "inspect":
		return t.driver.inspect.validate(t)
	case "rescue":
		return t.driver.rescue.validate(ctx, t)
	case "deploy":
		return t.validateDeploy(ctx, nil)
	case "network":
		return t.checkNetwork()
	case "bios", "firmware":
		if name == "redfish" {
			return t.validateRedfish(kind)
		}
	case "raid":
		if name != "no-raid" {
			if len(t.node.TargetRAIDConfig) == 0 {
				return nil
			}
			return checkRAID(name, t.node.TargetRAIDConfig)
		}
	}
	if slices.Contains([]string{"no-bios", "no-console", "no-raid", "no-firmware", "no-vendor"}, name) {
		return unsupported(t.node.Driver, kind)
	}
	return nil
}

// checkNetwork validates the network interface. The lab has no Neutron with a default cleaning network.
func (t *task) checkNetwork() error {
	if t.driver.names["network"] == "flat" && t.node.DriverInfo.Text("cleaning_network") == "" {
		return invalid("UUID or name of cleaning_network is not set in configuration or in node driver_info.")
	}
	return nil
}

// checkPowerAndNetwork validates the power interface and, if the ramdisk will be booted, the network interface.
func (t *task) checkPowerAndNetwork(noRamdisk bool) error {
	if err := t.validateRedfish("power"); err != nil || noRamdisk {
		return err
	}
	return t.checkNetwork()
}
