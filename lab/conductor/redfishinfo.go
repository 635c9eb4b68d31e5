package conductor

import (
	"cmp"
	"net/url"
	"os"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// redfishInfo holds the BMC settings in driver_info.
type redfishInfo struct {
	base           string // scheme and host
	root           string // path of the service root
	system         string
	user, password string
	verify         bool
	ca             string // path of a file with trusted certificates
	auth           string
}

// validateRedfish checks driver_info if the node's interface of the given kind is redfish.
func (t *task) validateRedfish(kind string) error {
	if t.driver.names[kind] != "redfish" {
		return nil
	}
	_, err := parseRedfish(t.node)
	return err
}

// parseRedfish implements parse_driver_info.
func parseRedfish(n *db.Node) (redfishInfo, error) {
	info := n.DriverInfo
	if !python.Truthy(info["redfish_address"]) {
		return redfishInfo{}, missing("Missing the following Redfish properties in node %s driver_info: ['redfish_address']", n.UUID)
	}
	bad := invalid("Invalid Redfish address %s set in driver_info/redfish_address on node %s", python.Str(info["redfish_address"]), n.UUID)
	address, ok := info["redfish_address"].(string)
	if !ok {
		return redfishInfo{}, bad
	}
	parsed, err := url.Parse(address)
	if err != nil && strings.Contains(address, "://") {
		return redfishInfo{}, bad
	}
	if err != nil || parsed.Scheme == "" || parsed.Host == "" {
		if parsed, err = url.Parse("https://" + address); err != nil || parsed.Host == "" || strings.ContainsAny(parsed.Host, " ") {
			return redfishInfo{}, bad
		}
	}
	r := redfishInfo{base: parsed.Scheme + "://" + parsed.Host, root: cmp.Or(strings.TrimRight(parsed.Path, "/"), "/redfish/v1"), user: info.Text("redfish_username"), password: info.Text("redfish_password")}
	if system, given := info["redfish_system_id"]; given && system != nil {
		name, isText := system.(string)
		if !isText {
			return redfishInfo{}, invalid("Invalid value \"%s\" set in driver_info/redfish_system_id on node %s. The value should be a path (string) to the resource that the driver will interact with. For example: /redfish/v1/Systems/1", python.Repr(system), n.UUID)
		}
		r.system = name
	}
	if err := r.parseVerify(n); err != nil {
		return redfishInfo{}, err
	}
	r.auth = "auto"
	if auth, given := info["redfish_auth_type"]; given {
		r.auth = python.Str(auth)
	}
	switch r.auth {
	case "basic", "session", "auto":
	default:
		return redfishInfo{}, invalid("Invalid value \"%s\" set in driver_info/redfish_auth_type on node %s. The value should be one of \"basic\", \"session\" or \"auto\".", r.auth, n.UUID)
	}
	return r, nil
}

// parseVerify reads redfish_verify_ca: a boolean, also as a string, or the path of certificates.
func (r *redfishInfo) parseVerify(n *db.Node) error {
	value, given := n.DriverInfo["redfish_verify_ca"]
	r.verify = true
	if !given || value == nil {
		return nil
	}
	bad := invalid("Invalid value type set in driver_info/redfish_verify_ca on node %s. The value should be a Boolean or the path to a file/directory, not \"%s\"", n.UUID, python.Str(value))
	switch v := value.(type) {
	case bool:
		r.verify = v
	case string:
		if _, err := os.Stat(v); err == nil && v != "" { //nolint:gosec // the operator names a file
			r.ca = v
			return nil
		}
		yes, ok := python.Bool(v)
		if !ok {
			return bad
		}
		r.verify = yes
	default:
		return bad
	}
	return nil
}
