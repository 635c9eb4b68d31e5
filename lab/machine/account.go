package machine

import (
	"net/http"
	"slices"
)

const (
	accountsPath = root + "/AccountService"
	rolesPath    = accountsPath + "/Roles"
)

// role is a predefined role of Redfish accounts (DSP0266, Roles). A machine's only account has the Administrator
// role.
type role struct {
	name       string
	privileges []string
}

func roles() []role {
	return []role{
		{"Administrator", []string{"Login", "ConfigureManager", "ConfigureUsers", "ConfigureComponents", "ConfigureSelf"}},
		{"Operator", []string{"Login", "ConfigureComponents", "ConfigureSelf"}},
		{"ReadOnly", []string{"Login", "ConfigureSelf"}},
	}
}

// getAccountService returns a service without accounts, because a machine's user is defined in its [Spec].
func getAccountService(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": accountsPath, "@odata.type": typeOf("AccountService"), "Id": "AccountService", "Name": "Accounts",
		"ServiceEnabled": true, "HTTPBasicAuth": "Enabled", "Status": healthy(), "Roles": link(rolesPath),
	})
}

func getRoles(w http.ResponseWriter, _ *http.Request) {
	var paths []string
	for _, one := range roles() {
		paths = append(paths, rolesPath+"/"+one.name)
	}
	show(w, collection(rolesPath, "Role", "Roles", paths...))
}

func getRole(w http.ResponseWriter, request *http.Request) {
	all := roles()
	at := slices.IndexFunc(all, func(one role) bool { return one.name == request.PathValue("role") })
	if at < 0 {
		notFound(w, request)
		return
	}
	show(w, object{
		"@odata.id": rolesPath + "/" + all[at].name, "@odata.type": typeOf("Role"), "Id": all[at].name, "RoleId": all[at].name,
		"Name": "Role " + all[at].name, "IsPredefined": true, "AssignedPrivileges": all[at].privileges,
	})
}
