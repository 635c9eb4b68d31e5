package machine

import (
	"net/http"
	"slices"
)

func getRoot(w http.ResponseWriter, _ *http.Request) { show(w, rootResource()) }

func rootResource() object {
	return object{
		"@odata.id": root + "/", "@odata.type": typeOf("ServiceRoot"),
		"Id": "RootService", "Name": "Lab machines", "RedfishVersion": "1.15.0",
		"UUID": uuidOf("the service"), "Vendor": "ironworks", "Product": "Lab BMC",
		"Systems": link(root + "/Systems"), "Managers": link(root + "/Managers"), "Chassis": link(root + "/Chassis"),
		"SessionService": link(root + "/SessionService"), "UpdateService": link(updatePath), "Tasks": link(tasksPath),
		"Registries":     link(registriesPath),
		"AccountService": link(accountsPath), "Links": object{"Sessions": link(sessionsPath)},
	}
}

func getSessionService(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": root + "/SessionService", "@odata.type": typeOf("SessionService"),
		"Id": "SessionService", "Name": "Sessions", "ServiceEnabled": true, "Status": healthy(),
		"SessionTimeout": int(sessionTimeout.Seconds()), "Sessions": link(sessionsPath),
	})
}

func (r *Rack) getSessions(w http.ResponseWriter, request *http.Request) {
	var members []string
	for _, id := range r.sessions.list(identityOf(request)) {
		members = append(members, sessionsPath+"/"+id)
	}
	show(w, collection(sessionsPath, "Session", "Sessions", members...))
}

func sessionResource(id, user string) object {
	return object{
		"@odata.id": sessionsPath + "/" + id, "@odata.type": typeOf("Session"),
		"Id": id, "Name": "Session", "UserName": user,
	}
}

func (r *Rack) getSession(w http.ResponseWriter, request *http.Request) {
	who, id := identityOf(request), request.PathValue("session")
	if !slices.Contains(r.sessions.list(who), id) {
		notFound(w, request)
		return
	}
	show(w, sessionResource(id, who.user))
}

func (r *Rack) login(w http.ResponseWriter, request *http.Request) {
	var body struct{ UserName, Password string }
	if !read(w, request, &body) {
		return
	}
	who := identity{user: body.UserName, password: body.Password}
	if !r.accepted(who) {
		unauthorized(w)
		return
	}
	token, id := r.sessions.add(who)
	w.Header().Set("X-Auth-Token", token)
	w.Header().Set("Location", sessionsPath+"/"+id)
	showCreated(w, sessionResource(id, who.user))
}

func (r *Rack) logout(w http.ResponseWriter, request *http.Request) {
	if !r.sessions.remove(request.PathValue("session"), identityOf(request)) {
		notFound(w, request)
		return
	}
	done(w)
}
