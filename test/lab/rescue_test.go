package lab_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"ironworks/lab"
	"ironworks/lab/machine"
)

func rescueCases() []testCase {
	return []testCase{
		{member: lab.Member{Name: "rescue"}, newest: true, run: runRescue},
		{member: lab.Member{Name: "rescue-fast-track"}, newest: true, run: runFastRescue},
		{member: lab.Member{Name: "rescue-early"}, run: runRefusedRescue},
	}
}

// runRescue rescues a machine and ends the rescue.
func runRescue(n node) error {
	if err := n.runSteps(managed, provided, installed, rescued); err != nil {
		return err
	}
	e, err := n.status()
	if err != nil {
		return err
	}
	_, password := e.Instance["rescue_password"]
	_, hash := e.Instance["hashed_rescue_password"]
	if e.LastError != "" || e.Target != "" || password || hash {
		return fmt.Errorf("machine %s: in rescue Ironic shows %+v", n.Name(), e)
	}
	// The machine is off, its agent has stopped, and its disk is unchanged: unless the agent is on the fast track,
	// real conductors power a machine off before they eject a virtual medium.
	if err := errors.Join(n.waitOff(), n.checkJournal("Stopped API service"), n.checkInstalled("/dev/sda", "CoreOS")); err != nil {
		return err
	}
	if hash := n.RescuePassword(); !sha256Crypt.MatchString(hash) {
		return fmt.Errorf("machine %s: the rescue password is %q", n.Name(), hash)
	}
	if err := n.runSteps(unrescued); err != nil {
		return err
	}
	if err := errors.Join(n.waitBooted(machine.Hdd), n.checkInstalled("/dev/sda", "CoreOS")); err != nil {
		return err
	}
	reasons, err := n.reasons()
	if err != nil || reasons != "" {
		return errors.Join(fmt.Errorf("machine %s: succeeded but has the error %q", n.Name(), reasons), err)
	}
	return nil
}

// runFastRescue rescues a machine whose ramdisk keeps running, because the node uses the fast track.
func runFastRescue(n node) error {
	if err := n.runSteps(managed, provided, installed); err != nil {
		return err
	}
	if err := errors.Join(n.patch("driver_info/fast_track", true), n.runSteps(rescued), n.waitBooted(machine.Cd)); err != nil {
		return err
	}
	if err := errors.Join(n.runSteps(unrescued), n.waitBooted(machine.Hdd)); err != nil {
		return err
	}
	reasons, err := n.reasons()
	if err != nil || reasons != "" {
		return errors.Join(fmt.Errorf("machine %s: succeeded but has the error %q", n.Name(), reasons), err)
	}
	return nil
}

// sha256Crypt matches a password hash as [conductor]rescue_password_hash_algorithm creates it by default.
var sha256Crypt = regexp.MustCompile(`^\$5\$(rounds=\d+\$)?[./0-9A-Za-z]+\$[./0-9A-Za-z]{43}$`)

// runRefusedRescue sends rescue requests that must be refused. The old Ironic has no rescue with virtual media at all.
func runRefusedRescue(n node) error {
	if err := n.runSteps(managed); err != nil {
		return err
	}
	const state = `The requested action .*rescue.* can not be performed on node .* while it is in state .*manageable`
	if err := n.expectRefusal(rescued.body, http.StatusBadRequest, state); err != nil {
		return err
	}
	if err := n.runSteps(adopted); err != nil {
		return err
	}
	if n.subject.old {
		return n.expectRefusal(rescued.body, http.StatusInternalServerError, "Validation failed: Driver redfish does not support validate_rescue")
	}
	return n.expectRefusal(target("rescue"), http.StatusBadRequest, "rescue_password")
}
