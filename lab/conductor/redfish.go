package conductor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
	"ironworks/python"
)

// validateRedfish checks driver_info if the node's interface of the given kind is redfish.
func (t *task) validateRedfish(kind string) error {
	if t.driver.names[kind] != "redfish" {
		return nil
	}
	_, _, err := parseRedfish(t.node)
	return err
}

// parseRedfish implements parse_driver_info. It returns the settings of the session, and the path of the system, which
// is "" if driver_info does not name one.
func parseRedfish(n *db.Node) (r redfish.Settings, system string, err error) {
	info := n.DriverInfo
	if !python.Truthy(info["redfish_address"]) {
		return r, "", missing("Missing the following Redfish properties in node %s driver_info: ['redfish_address']", n.UUID)
	}
	bad := invalid("Invalid Redfish address %s set in driver_info/redfish_address on node %s", python.Str(info["redfish_address"]), n.UUID)
	address, ok := info["redfish_address"].(string)
	if !ok {
		return r, "", bad
	}
	parsed, err := url.Parse(address)
	if err != nil && strings.Contains(address, "://") {
		return r, "", bad
	}
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		if parsed, err = url.Parse("https://" + address); err != nil || parsed.Host == "" || strings.ContainsAny(parsed.Host, " ") {
			return r, "", bad
		}
	}
	r = redfish.Settings{
		Base: parsed.Scheme + "://" + parsed.Host, Root: cmp.Or(strings.TrimRight(parsed.Path, "/"), "/redfish/v1"),
		User: info.Text("redfish_username"), Password: info.Text("redfish_password"), Auth: "auto",
	}
	if value := info["redfish_system_id"]; value != nil {
		if system, ok = value.(string); !ok {
			return r, "", invalid("Invalid value \"%s\" set in driver_info/redfish_system_id on node %s. The value should be a path (string) to the resource that the driver will interact with. For example: /redfish/v1/Systems/1", python.Repr(value), n.UUID)
		}
	}
	if r.Verify, r.CA, err = parseVerify(n); err != nil {
		return r, "", err
	}
	if auth, given := info["redfish_auth_type"]; given {
		r.Auth = python.Str(auth)
	}
	switch r.Auth {
	case "basic", "session", "auto":
		return r, system, nil
	default:
		return r, "", invalid("Invalid value \"%s\" set in driver_info/redfish_auth_type on node %s. The value should be one of \"basic\", \"session\" or \"auto\".", r.Auth, n.UUID)
	}
}

// parseVerify reads redfish_verify_ca: a boolean, also as a string, or the path of certificates.
func parseVerify(n *db.Node) (verify bool, ca string, err error) {
	value := n.DriverInfo["redfish_verify_ca"]
	if value == nil {
		return true, "", nil
	}
	path, isText := value.(string)
	if _, err := os.Stat(path); isText && path != "" && err == nil { //nolint:gosec // the operator names a file
		return true, path, nil
	}
	verify, ok := python.Bool(value)
	if _, isBool := value.(bool); !ok || !isText && !isBool {
		return false, "", invalid("Invalid value type set in driver_info/redfish_verify_ca on node %s. The value should be a Boolean or the path to a file/directory, not \"%s\"", n.UUID, python.Str(value))
	}
	return verify, "", nil
}

// connect implements _get_connection. It calls do with the session, which the nodes of a BMC share, and the path of the
// node's system. If the BMC is unreachable, it tries again and finally returns Ironic's error.
func (t *task) connect(ctx context.Context, do func(m *redfish.BMC, system string) error) error {
	info, system, err := parseRedfish(t.node)
	if err != nil {
		return err
	}
	const interval = 4 * time.Second // [redfish]connection_retry_interval
	for try := 1; ; try++ {
		m := t.c.bmcs.Get(info)
		err := do(m, system)
		s := redfish.AsError(err)
		switch {
		case s == nil:
			return err
		case s.Class == "AccessError":
			t.c.bmcs.Forget(m)
			return redfishFault("%s", s.Text)
		case s.Class != "ConnectionError":
			return err
		}
		t.c.bmcs.Forget(m)
		if try == t.c.options.Limits.BMCConnections || !t.c.sleep(ctx, interval) {
			return failure(kindRedfishConnection, "Redfish connection failed for node %s: %s", t.node.UUID, s.Text)
		}
	}
}

// systemOf reads the node's system from the BMC, unless the task has already read it.
func (t *task) systemOf(ctx context.Context) (system *redfish.System, err error) {
	if t.system != nil {
		return t.system, nil
	}
	err = t.connect(ctx, func(m *redfish.BMC, path string) error {
		system, err = m.ReadSystem(ctx, path)
		return err
	})
	if s := redfish.AsError(err); s.NotFound() {
		return nil, redfishFault("%s", s.Text)
	}
	if err != nil {
		return nil, err
	}
	return system, nil
}

// powerOf returns Ironic's name for the power state, or "" if Ironic has no name for it.
func powerOf(s *redfish.System) string {
	switch s.PowerState {
	case "On", "PoweringOn":
		return powerOn
	case "Off", "PoweringOff":
		return powerOff
	default:
		return ""
	}
}

// insertMedium implements _insert_vmedia. It tries the suitable drives in turn until one accepts the image. If the
// BMC reports an error on its side, it tries all drives again.
func (t *task) insertMedium(ctx context.Context, s *redfish.System, image, kind string) error {
	const tries, interval = 3, 3 * time.Second
	var problems []string
	for try := 1; try <= tries; try++ {
		if try > 1 && !t.c.sleep(ctx, interval) {
			return fmt.Errorf("inserting a medium: %w", ctx.Err())
		}
		_ = s.Eject(ctx, kind)
		drives, err := s.Drives(ctx)
		if err != nil {
			return err
		}
		again := false
		for _, d := range drives {
			if !d.IsFor(kind) {
				continue
			}
			err := s.Insert(ctx, d, image)
			e := redfish.AsError(err)
			switch {
			case err == nil:
				return nil
			case e != nil && (e.Class == "BadRequestError" || e.Status == http.StatusMethodNotAllowed):
				problems = append(problems, fmt.Sprintf("Inserting virtual media into %s failed for node %s, moving to next virtual media device, if available. %s", mediaType(kind), t.node.UUID, e.Text))
			case e != nil && e.Class == "ServerSideError":
				if !slices.Contains(problems, e.Text) {
					problems = append(problems, e.Text)
				}
				again = true
			default:
				return err
			}
			if again {
				break
			}
		}
		if !again {
			break
		}
	}
	switch {
	case len(problems) == 0:
		return invalid("No suitable virtual media device found for node %s to mount image %s", t.node.UUID, image)
	case problems[0] == problems[len(problems)-1]:
		return invalid("Virtual media mount failed for node %s with image %s. Error: %s", t.node.UUID, image, problems[0])
	default:
		return invalid("Virtual media mount failed for node %s with image %s after multiple attempts. First error: %s. Last error: %s", t.node.UUID, image, problems[0], problems[len(problems)-1])
	}
}

// mediaType returns the name of a kind of medium as Python shows it.
func mediaType(kind string) string { return "VirtualMediaType." + strings.ToUpper(kind) }
