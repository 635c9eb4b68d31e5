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

// liveRescue is a rescue that gets somewhere, and back.
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
	// Its agent is gone, and the disk is as it was. Whoever has ejected a virtual
	// medium has powered the machine off before, as the real ones do: nobody can
	// log in until the machine is powered on.
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
		return errors.Join(fmt.Errorf("machine %s: all went well, but %q", n.Name(), reasons), err)
	}
	return nil
}

// sha256Crypt is a password as [conductor]rescue_password_hash_algorithm makes
// it by default.
var sha256Crypt = regexp.MustCompile(`^\$5\$(rounds=\d+\$)?[./0-9A-Za-z]+\$[./0-9A-Za-z]{43}$`)

// refuseRescue asks for what cannot be. The old Ironic knows no rescue from
// virtual media at all.
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
