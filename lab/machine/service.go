package machine

import (
	"maps"
	"net/http"
	"slices"
)

func getRoot(*http.Request) object {
	return resource(root+"/", "ServiceRoot", "Lab machines", object{
		"Id": "RootService", "RedfishVersion": "1.15.0",
		"UUID": uuidOf("the service"), "Vendor": "ironworks", "Product": "Lab BMC",
		"Systems": link(root + "/Systems"), "Managers": link(root + "/Managers"), "Chassis": link(root + "/Chassis"),
		"SessionService": link(root + "/SessionService"), "UpdateService": link(updatePath), "Tasks": link(tasksPath),
		"Registries":     link(registriesPath),
		"AccountService": link(accountsPath), "Links": object{"Sessions": link(sessionsPath)},
	})
}

// rolePrivileges maps the predefined roles of Redfish accounts (DSP0266, Roles) to their privileges. A machine's only
// account has the Administrator role.
var rolePrivileges = map[string][]string{
	"Administrator": {"Login", "ConfigureManager", "ConfigureUsers", "ConfigureComponents", "ConfigureSelf"},
	"Operator":      {"Login", "ConfigureComponents", "ConfigureSelf"},
	"ReadOnly":      {"Login", "ConfigureSelf"},
}

// getAccountService returns a service without accounts, because a machine's user is defined in its [Spec].
func getAccountService(*http.Request) object {
	return resource(accountsPath, "AccountService", "Accounts", object{
		"ServiceEnabled": true, "HTTPBasicAuth": "Enabled", "Status": healthy(), "Roles": link(rolesPath),
	})
}

func getRoles(*http.Request) object {
	return collection(rolesPath, "Role", "Roles", slices.Sorted(maps.Keys(rolePrivileges))...)
}

func getRole(request *http.Request) object {
	name := request.PathValue("role")
	privileges, ok := rolePrivileges[name]
	if !ok {
		return nil
	}
	return resource(request.URL.Path, "Role", "Role "+name, object{
		"RoleId": name, "IsPredefined": true, "AssignedPrivileges": privileges,
	})
}

func getSessionService(*http.Request) object {
	return resource(root+"/SessionService", "SessionService", "Sessions", object{
		"ServiceEnabled": true, "Status": healthy(),
		"SessionTimeout": int(sessionTimeout.Seconds()), "Sessions": link(sessionsPath),
	})
}

func (r *Rack) getSessions(request *http.Request) object {
	return collection(sessionsPath, "Session", "Sessions", r.sessions.list(identityOf(request))...)
}

func sessionResource(id, user string) object {
	return resource(sessionsPath+"/"+id, "Session", "Session", object{"UserName": user})
}

func (r *Rack) getSession(request *http.Request) object {
	who, id := identityOf(request), request.PathValue("session")
	if !slices.Contains(r.sessions.list(who), id) {
		return nil
	}
	return sessionResource(id, who.user)
}

func (r *Rack) login(w http.ResponseWriter, request *http.Request) error {
	var body struct{ UserName, Password string }
	if err := read(w, request, &body); err != nil {
		return err
	}
	who := identity{user: body.UserName, password: body.Password}
	if !r.accepted(who) {
		unauthorized(w)
		return nil
	}
	token, id := r.sessions.add(who)
	w.Header().Set("X-Auth-Token", token)
	w.Header().Set("Location", sessionsPath+"/"+id)
	showAs(w, http.StatusCreated, sessionResource(id, who.user))
	return nil
}

func (r *Rack) logout(w http.ResponseWriter, request *http.Request) error {
	if !r.sessions.remove(request.PathValue("session"), identityOf(request)) {
		return errNotFound
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
