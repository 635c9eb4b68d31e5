package machine

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// KeysReset specifies how to reset the secure boot keys (SecureBoot, ResetKeysType).
type KeysReset string

// Values of [KeysReset].
const (
	DefaultKeys KeysReset = "ResetAllKeysToDefault"
	DeleteKeys  KeysReset = "DeleteAllKeys"
	DeletePK    KeysReset = "DeletePK"
)

// platformKey is the name of the database that contains the platform key. Without it, the firmware is in setup mode.
const platformKey = "PK"

// SecureBoot describes the state of secure boot. The simulated firmware only stores it, and verifies nothing.
type SecureBoot struct {
	// Enabled reports whether the next boot uses secure boot. Active reports whether the current boot uses it.
	Enabled, Active bool
	// Keys reports, for each database (PK, KEK, db and dbx), whether it contains keys.
	Keys map[string]bool
}

// keyDatabases returns the sorted names of all databases.
func keyDatabases() []string { return []string{"KEK", platformKey, "db", "dbx"} }

func allKeys() map[string]bool {
	keys := map[string]bool{}
	for _, name := range keyDatabases() {
		keys[name] = true
	}
	return keys
}

// SecureBoot returns the state of secure boot.
func (m *Machine) SecureBoot() SecureBoot {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := m.secure
	state.Keys = maps.Clone(state.Keys)
	return state
}

// SetSecureBoot enables or disables secure boot. The change takes effect at the next boot.
func (m *Machine) SetSecureBoot(on bool) error {
	m.mu.Lock()
	defer m.unlock()
	if on && m.override.Mode != UEFI {
		return badRequest(propertyNotWritable, "machine %s: secure boot requires the boot mode UEFI", m.spec.Name)
	}
	m.secure.Enabled = on
	m.emit(SecureBootChanged, "enabled %v", on)
	return nil
}

// ResetKeys restores or deletes the keys of the given databases.
func (m *Machine) ResetKeys(how KeysReset, databases ...string) {
	m.mu.Lock()
	defer m.unlock()
	for _, name := range databases {
		m.secure.Keys[name] = how == DefaultKeys
	}
	m.emit(SecureBootChanged, "%s %s", how, strings.Join(databases, ", "))
}

// applySecureBoot makes a new boot use secure boot if it is enabled and possible. Called with mu held.
func (m *Machine) applySecureBoot() {
	m.secure.Active = m.secure.Enabled && m.secure.Keys[platformKey] && m.override.Mode == UEFI
}

// secureBootRoutes returns the handlers for the resources that describe secure boot. The status is 404 for virtual
// machines, which do not support secure boot.
func secureBootRoutes() map[string]forMachine {
	const path = "/Systems/{machine}/SecureBoot"
	const database = path + "/SecureBootDatabases/{database}"
	routes := map[string]forMachine{
		"GET " + path:   view((*Machine).getSecureBoot),
		"PATCH " + path: change((*Machine).patchSecureBoot),
		"POST " + path + "/Actions/SecureBoot.ResetKeys":             resetKeys,
		"GET " + path + "/SecureBootDatabases":                       view(members("SecureBootDatabase", "Secure boot databases", keyDatabases()...)),
		"GET " + database:                                            view((*Machine).getKeyDatabase),
		"POST " + database + "/Actions/SecureBootDatabase.ResetKeys": resetKeys,
	}
	for pattern, handler := range routes {
		routes[pattern] = func(w http.ResponseWriter, request *http.Request, m *Machine) error {
			if m.options.Guest != nil {
				return errNotFound
			}
			return handler(w, request, m)
		}
	}
	return routes
}

func (m *Machine) getSecureBoot(request *http.Request) object {
	path, state := request.URL.Path, m.SecureBoot()
	current, mode := "Disabled", "SetupMode"
	if state.Active {
		current = "Enabled"
	}
	if state.Keys[platformKey] {
		mode = "UserMode"
	}
	return resource(path, "SecureBoot", "UEFI Secure Boot", object{
		"SecureBootEnable": state.Enabled, "SecureBootCurrentBoot": current, "SecureBootMode": mode,
		"SecureBootDatabases": link(path + "/SecureBootDatabases"),
		"Actions":             resetKeysAction(path, "SecureBoot", DefaultKeys, DeleteKeys, DeletePK),
	})
}

func resetKeysAction(path, schema string, allowed ...KeysReset) object {
	return action(path, schema+".ResetKeys", object{"ResetKeysType@Redfish.AllowableValues": allowed})
}

type secureBootBody struct{ SecureBootEnable *bool }

func (m *Machine) patchSecureBoot(body secureBootBody) error {
	if body.SecureBootEnable == nil {
		return badRequest(propertyUnknown, "Of secure boot only SecureBootEnable can be changed.")
	}
	return m.SetSecureBoot(*body.SecureBootEnable)
}

func (m *Machine) getKeyDatabase(request *http.Request) object {
	name, path := request.PathValue("database"), request.URL.Path
	if !slices.Contains(keyDatabases(), name) {
		return nil
	}
	return resource(path, "SecureBootDatabase", "Secure boot database "+name, object{
		"DatabaseId": name, "Actions": resetKeysAction(path, "SecureBootDatabase", DefaultKeys, DeleteKeys),
	})
}

// resetKeys resets the keys of the database that the path names, if any; otherwise, it resets all keys or the platform
// key.
func resetKeys(w http.ResponseWriter, request *http.Request, m *Machine) error {
	databases, allowed := keyDatabases(), []KeysReset{DefaultKeys, DeleteKeys, DeletePK}
	if name := request.PathValue("database"); name != "" {
		if !slices.Contains(databases, name) {
			return errNotFound
		}
		databases, allowed = []string{name}, allowed[:2]
	}
	var body struct{ ResetKeysType KeysReset }
	if err := read(w, request, &body); err != nil {
		return err
	}
	switch how := body.ResetKeysType; {
	case how == "":
		return badRequest(parameterMissing, "The action ResetKeys needs the parameter ResetKeysType.")
	case !slices.Contains(allowed, how):
		return badRequest(parameterValue, "ResetKeys allows %s.", joined(allowed))
	case how == DeletePK:
		databases = []string{platformKey}
	}
	m.ResetKeys(body.ResetKeysType, databases...)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
