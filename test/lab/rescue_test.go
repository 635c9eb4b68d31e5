package lab_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"ironworks/lab"
	"ironworks/lab/machine"
)

func rescueLives() []life {
	return []life{
		{member: lab.Member{Name: "rescue"}, newest: true, run: liveRescue},
		{member: lab.Member{Name: "rescue-early"}, run: refuseRescue},
	}
}

// liveRescue rescues a machine and ends the rescue.
func liveRescue(n node) error {
	if err := n.walk(managed, provided, installed, rescued); err != nil {
		return err
	}
	e, err := n.shows()
	if err != nil {
		return err
	}
	_, password := e.Instance["rescue_password"]
	_, hash := e.Instance["hashed_rescue_password"]
	if e.LastError != "" || e.Target != "" || password || hash {
		return fmt.Errorf("machine %s: in rescue Ironic shows %+v", n.Name(), e)
	}
	// Without an agent and with its disk unchanged, the machine is off: the real conductors power a machine off
	// before they eject a virtual medium. The operator can log in once it is powered on.
	if err := errors.Join(n.isOff(), n.journalSays("Stopped API service"), n.holds("/dev/sda", "CoreOS")); err != nil {
		return err
	}
	if hash := n.RescuePassword(); !sha256Crypt.MatchString(hash) {
		return fmt.Errorf("machine %s: the rescue password is %q", n.Name(), hash)
	}
	if err := n.walk(unrescued); err != nil {
		return err
	}
	if err := errors.Join(n.runs(machine.Hdd), n.holds("/dev/sda", "CoreOS")); err != nil {
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

// refuseRescue sends rescue requests that must be refused. The old Ironic has no rescue with virtual media at all.
func refuseRescue(n node) error {
	if err := n.walk(managed); err != nil {
		return err
	}
	const state = `The requested action .*rescue.* can not be performed on node .* while it is in state .*manageable`
	if err := n.refuses(rescued.body, http.StatusBadRequest, state); err != nil {
		return err
	}
	if err := n.walk(adopted); err != nil {
		return err
	}
	if n.subject.old {
		return n.refuses(rescued.body, http.StatusInternalServerError, "Validation failed: Driver redfish does not support validate_rescue")
	}
	return n.refuses(target("rescue"), http.StatusBadRequest, "rescue_password")
}
