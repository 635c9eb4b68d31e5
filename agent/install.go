package agent

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"ironworks/python"
)

const (
	installTries  = 3
	bootTries     = 6
	bootRetry     = 5 * time.Second
	coreosRoot    = "/mnt/coreos"
	ignitionInTmp = "/tmp/ironic.ign"
)

func (a *agent) installCoreOS(ctx context.Context, node, _ *dict) (any, error) {
	if node.Get("automated_clean") == any(false) {
		a.log.coreos.debug("Cleaning is disabled, will not try to delete software RAID")
	}
	device, err := a.rootDisk(ctx, true)
	if err != nil {
		return nil, err
	}
	install, err := a.planInstall(node, device)
	if err != nil {
		return nil, err
	}
	a.log.coreos.info("Executing CoreOS installer: %s", python.Repr(commandLine(install, a.options.CoreOSRoot)))
	if err := a.runInstaller(ctx, install); err != nil {
		return nil, err
	}
	if a.inventory.Boot.Mode == UEFI {
		if err := a.bootFrom(ctx, device); err != nil {
			return nil, err
		}
	}
	a.log.coreos.info("Successfully installed via CoreOS installer on device %s", device)
	return nil, nil
}

func (a *agent) planInstall(node *dict, device string) (Install, error) {
	install := Install{Device: device}
	info := node.Dict("instance_info")
	given := info.Get("configdrive")
	if !python.Truthy(given) {
		given = newDict()
	}
	if _, rendered := given.(string); rendered {
		return install, newFault(deploymentError, "Cannot use a pre-rendered configdrive, please pass it as JSON data")
	}
	configdrive, ok := given.(*dict)
	if !ok {
		return install, noAttribute(given, "get")
	}
	metaData := newDict()
	if given := configdrive.Get("meta_data"); python.Truthy(given) {
		if metaData, ok = given.(*dict); !ok {
			return install, noAttribute(given, "get")
		}
	}
	ignition, err := withHostname(configdrive.Get("user_data"), a.hostname())
	if err != nil {
		return install, err
	}
	if python.Truthy(ignition) {
		text, verbatim := ignition.(string)
		if !verbatim {
			text = dump(ignition)
		}
		a.log.coreos.debug("Will use ignition %s", python.Str(ignition))
		install.Ignition = []byte(text)
	}
	if kargs := metaData.Get("coreos_append_karg"); python.Truthy(kargs) {
		joined, err := joinKargs(kargs)
		if err != nil {
			return install, err
		}
		install.AppendKargs = append(install.AppendKargs, joined)
	}
	install.AppendKargs = append(install.AppendKargs, a.options.InstallKargs...)
	if source := info.Get("image_source"); python.Truthy(source) {
		install.ImageURL = python.Str(source)
	}
	install.CopyNetwork = a.options.CopyNetwork
	if metaData.Has("coreos_copy_network") {
		install.CopyNetwork = python.Truthy(metaData.Get("coreos_copy_network"))
	}
	return install, nil
}

// hostname returns the host name for the installed system. The DefaultHostname option replaces the ramdisk's host name
// if the ramdisk has no name and calls itself localhost.
func (a *agent) hostname() string {
	name := a.inventory.Hostname
	if a.options.DefaultHostname != "" && (name == "localhost" || strings.HasPrefix(name, "localhost.")) {
		return a.options.DefaultHostname
	}
	return name
}

// CommandLine returns the command line of coreos-installer. The Ignition configuration, if any, is in ignitionFile.
func (i Install) CommandLine(ignitionFile string) []string {
	line := []string{"coreos-installer", "install", "--preserve-on-error"}
	if i.Ignition != nil {
		line = append(line, "--ignition-file", ignitionFile)
	}
	for _, karg := range i.AppendKargs {
		line = append(line, "--append-karg", karg)
	}
	if i.ImageURL != "" {
		line = append(line, "--image-url", i.ImageURL, "--insecure")
	} else {
		line = append(line, "--offline")
	}
	if i.CopyNetwork {
		line = append(line, "--copy-network")
	}
	return append(line, i.Device)
}

// commandLine returns the command as the agent logs it.
func commandLine(i Install, root string) list {
	var line list
	if root != "/" {
		line = list{"chroot", root}
	}
	for _, word := range i.CommandLine(ignitionInTmp) {
		line = append(line, word)
	}
	return line
}

// runInstaller runs coreos-installer until it succeeds, up to three times without pauses.
func (a *agent) runInstaller(ctx context.Context, install Install) error {
	var err error
	for range installTries {
		var last string
		err = a.runInstallerOnce(ctx, install, func(line string) {
			if line = strings.TrimSpace(line); line != "" {
				last = line
			}
			a.log.coreos.debug("coreos-installer: %s", line)
		})
		exit, failed := errors.AsType[*ExitError](err)
		switch {
		case err == nil:
			return nil
		case failed:
			a.log.coreos.error("coreos-installer failed with code %d", exit.Code)
			err = newFault(deploymentError, "coreos-installer failed with code %d: %s", exit.Code, cmp.Or(last, "None"))
		case errors.Is(err, ErrNoInstaller):
			err = newFault(deploymentError, "Cannot run coreos-installer, is it installed in %s?", a.options.CoreOSRoot)
		default:
			return err
		}
	}
	return err
}

// runInstallerOnce runs coreos-installer once, or simulates a failed run if a configured fault requires it.
func (a *agent) runInstallerOnce(ctx context.Context, install Install, line func(string)) error {
	if a.installsToFail > 0 {
		a.installsToFail--
		line(a.options.Faults.InstallMessage)
		return &ExitError{Code: 1}
	}
	return a.hardware.Install(ctx, install, line)
}

// bootFrom creates the boot entry for the disk in the firmware. The real agent does this after an installation.
func (a *agent) bootFrom(ctx context.Context, device string) error {
	a.log.coreos.info("Configuring UEFI boot from device %s", device)
	var failure *fault
	for try := range bootTries {
		err := a.hardware.BootFrom(ctx, device)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrNoEFIPartition):
			return newFault(deviceNotFound, "No EFI partition could be detected on device %s and EFI partition UUID has not been recorded during deployment (which is often the case for whole disk images). Are you using a UEFI-compatible image?", device)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		failure = newFault(commandExecution, "Could not configure UEFI boot on device %s: %v", device, err)
		if try < bootTries-1 {
			if !a.sleep(ctx, bootRetry) {
				return ctx.Err()
			}
			a.log.coreos.warning("UEFI boot configuration failed(retrying): %s", failure)
		}
	}
	return failure
}

const (
	assistedUnit  = "agent.service"
	assistedFirst = time.Second
	assistedEvery = 15 * time.Second
)

// startAssistedInstall implements start_assisted_install: it runs the agent of the assisted installer.
func (a *agent) startAssistedInstall(ctx context.Context, _, _ *dict) (any, error) {
	active, err := a.assistedActive(ctx)
	if err != nil {
		return nil, err
	}
	if active {
		a.log.coreos.error("Assisted Installer Agent should not be active at this stage")
	}
	if err := a.hardware.StartUnit(ctx, assistedUnit); err != nil {
		return nil, raise("DBusException", "%v", err)
	}
	a.log.coreos.info("Triggered installation via the assisted agent")
	for pause := assistedFirst; ; pause = assistedEvery {
		if !a.sleep(ctx, pause) {
			return nil, ctx.Err()
		}
		active, err := a.assistedActive(ctx)
		if err != nil {
			return nil, err
		}
		if !active {
			break
		}
		a.log.coreos.debug("Still waiting for the assisted agent to finish")
	}
	a.log.coreos.info("Succesfully installed using the assisted agent") //nolint:misspell // the agent's message
	return nil, nil
}

func (a *agent) assistedActive(ctx context.Context) (bool, error) {
	state, err := a.hardware.UnitState(ctx, assistedUnit)
	if err != nil {
		return false, raise("DBusException", "%v", err)
	}
	a.log.coreos.debug("Assisted Agent is in state %s (result %s)", state.Active, state.Result)
	switch state.Active {
	case "failed":
		return false, newFault(deploymentError, `Assisted Installer Agent has failed with result "%s". Check the ramdisk logs for more details.`, state.Result)
	case "activating", "active":
		return true, nil
	}
	return false, nil
}
