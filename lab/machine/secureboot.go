package machine

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// errSecureBoot is returned if secure boot cannot be enabled.
var errSecureBoot = errors.New("secure boot requires the boot mode UEFI")

// KeysReset specifies how to reset the secure boot keys (SecureBoot, ResetKeysType).
type KeysReset string

// Values of [KeysReset].
const (
	DefaultKeys KeysReset = "ResetAllKeysToDefault"
	DeleteKeys  KeysReset = "DeleteAllKeys"
	DeletePK    KeysReset = "DeletePK"
)

// platformKey is the name of the database that contains the platform key. Without this key, the firmware is in setup
// mode.
const platformKey = "PK"

// SecureBoot describes the state of secure boot. The simulated firmware only stores this state and does not verify
// anything.
type SecureBoot struct {
	// Enabled reports whether the next boot uses secure boot. Active reports whether the current boot uses it.
	Enabled, Active bool
	// Keys reports, for each database (PK, KEK, db and dbx), whether it contains keys.
	Keys map[string]bool
}

func allKeys() map[string]bool {
	return map[string]bool{platformKey: true, "KEK": true, "db": true, "dbx": true}
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
		return fmt.Errorf("machine %s: %w", m.spec.Name, errSecureBoot)
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

func (m *Machine) secureBootPath() string { return m.SystemPath() + "/SecureBoot" }

// withSecureBoot calls the handler only for simulated machines. It responds with the status 404 for virtual machines,
// which do not support secure boot.
func withSecureBoot(handler forMachine) forMachine {
	return func(w http.ResponseWriter, request *http.Request, m *Machine) {
		if m.options.Guest != nil {
			notFound(w, request)
			return
		}
		handler(w, request, m)
	}
}

// secureBootRoutes returns the handlers for the resources that describe secure boot.
func secureBootRoutes() map[string]forMachine {
	const path = "/Systems/{machine}/SecureBoot"
	const database = path + "/SecureBootDatabases/{database}"
	return map[string]forMachine{
		"GET " + path:   getSecureBoot,
		"PATCH " + path: patchSecureBoot,
		"POST " + path + "/Actions/SecureBoot.ResetKeys":             resetKeys,
		"GET " + path + "/SecureBootDatabases":                       getKeyDatabases,
		"GET " + database:                                            getKeyDatabase,
		"POST " + database + "/Actions/SecureBootDatabase.ResetKeys": resetKeyDatabase,
	}
}

func getSecureBoot(w http.ResponseWriter, _ *http.Request, m *Machine) {
	path, state := m.secureBootPath(), m.SecureBoot()
	current, mode := "Disabled", "SetupMode"
	if state.Active {
		current = "Enabled"
	}
	if state.Keys[platformKey] {
		mode = "UserMode"
	}
	show(w, object{
		"@odata.id": path, "@odata.type": typeOf("SecureBoot"), "Id": "SecureBoot", "Name": "UEFI Secure Boot",
		"SecureBootEnable": state.Enabled, "SecureBootCurrentBoot": current, "SecureBootMode": mode,
		"SecureBootDatabases": link(path + "/SecureBootDatabases"),
		"Actions":             resetKeysAction(path, "SecureBoot", DefaultKeys, DeleteKeys, DeletePK),
	})
}

func resetKeysAction(path, schema string, allowed ...KeysReset) object {
	return object{"#" + schema + ".ResetKeys": object{
		"target": path + "/Actions/" + schema + ".ResetKeys", "ResetKeysType@Redfish.AllowableValues": allowed,
	}}
}

func patchSecureBoot(w http.ResponseWriter, request *http.Request, m *Machine) {
	var body struct{ SecureBootEnable *bool }
	if !read(w, request, &body) {
		return
	}
	if body.SecureBootEnable == nil {
		fail(w, http.StatusBadRequest, propertyUnknown, "Of secure boot only SecureBootEnable can be changed.")
		return
	}
	if err := m.SetSecureBoot(*body.SecureBootEnable); err != nil {
		fail(w, http.StatusBadRequest, propertyNotWritable, err.Error())
		return
	}
	done(w)
}

// keysReset reads the body of a request for the ResetKeys action. If the body is invalid, it writes an error
// response, and ok is false.
func keysReset(w http.ResponseWriter, request *http.Request, allowed ...KeysReset) (how KeysReset, ok bool) {
	var body struct{ ResetKeysType KeysReset }
	switch {
	case !read(w, request, &body):
		return "", false
	case body.ResetKeysType == "":
		fail(w, http.StatusBadRequest, parameterMissing, "The action ResetKeys needs the parameter ResetKeysType.")
		return "", false
	case !slices.Contains(allowed, body.ResetKeysType):
		fail(w, http.StatusBadRequest, parameterValue, "ResetKeys allows "+strings.Join(texts(allowed), ", ")+".")
		return "", false
	}
	return body.ResetKeysType, true
}

func resetKeys(w http.ResponseWriter, request *http.Request, m *Machine) {
	how, ok := keysReset(w, request, DefaultKeys, DeleteKeys, DeletePK)
	if !ok {
		return
	}
	if how == DeletePK {
		m.ResetKeys(how, platformKey)
	} else {
		m.ResetKeys(how, slices.Sorted(maps.Keys(allKeys()))...)
	}
	done(w)
}

func getKeyDatabases(w http.ResponseWriter, request *http.Request, _ *Machine) {
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(allKeys())) {
		paths = append(paths, request.URL.Path+"/"+name)
	}
	show(w, collection(request.URL.Path, "SecureBootDatabase", "Secure boot databases", paths...))
}

func getKeyDatabase(w http.ResponseWriter, request *http.Request, _ *Machine) {
	name, path := request.PathValue("database"), request.URL.Path
	if !allKeys()[name] {
		notFound(w, request)
		return
	}
	show(w, object{
		"@odata.id": path, "@odata.type": typeOf("SecureBootDatabase"), "Id": name, "DatabaseId": name, "Name": "Secure boot database " + name,
		"Actions": resetKeysAction(path, "SecureBootDatabase", DefaultKeys, DeleteKeys),
	})
}

func resetKeyDatabase(w http.ResponseWriter, request *http.Request, m *Machine) {
	name := request.PathValue("database")
	if !allKeys()[name] {
		notFound(w, request)
		return
	}
	if how, ok := keysReset(w, request, DefaultKeys, DeleteKeys); ok {
		m.ResetKeys(how, name)
		done(w)
	}
}
