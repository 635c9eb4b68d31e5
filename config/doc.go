// Package config finds out which Ironic to talk to and how.
//
// A context (a name, a connection, an accent colour, read-only, defaults) comes
// from our own file, $XDG_CONFIG_HOME/ironworks/config.yaml, from any clouds.yaml
// of the OpenStack clients, from their OS_* variables, or from a bare --url:
//
//	context: rack7                  # the one used when none is named
//	timeout: 30s                    # for all contexts that have none of their own
//	read_only: false                # true holds for all contexts
//	contexts:
//	  rack7:
//	    url: https://10.0.0.5:6385  # a standalone Ironic …
//	    auth: http_basic            # none, http_basic, password, token,
//	    username: admin             #   application_credential; guessed when absent
//	    password_file: rack7.secret # relative to this file's folder; ~ works too
//	    cacert: rack7-ca.pem
//	    accent: red
//	  prod:
//	    cloud: prod                 # … or a cloud of clouds.yaml; keys beside it win
//	    region: RegionTwo
//	    read_only: true
//	    defaults: {columns: [name, state], sort: name, filter: "!maintenance:yes"}
//	    checks: {single-disk: refuse}  # what the checks before a deployment do
//	  dc2:
//	    auth_url: https://keystone.example:5000/v3   # … or Keystone without clouds.yaml
//	    username: admin             # or application_credential_id and …_secret
//	    password: "…"               # or IRONWORKS_PASSWORD
//	    user_domain_name: Default   # the domain "default" when absent
//	    system_scope: all           # or project_name and project_domain_name
//
// Our file is read strictly: every unknown key, wrong type and bad value is a
// [*FileError] with file, line, column and key. Files of the OpenStack clients are
// not ours to police: there only what we use is checked.
//
// # Which context
//
// The first of these that is given:
//
//	--url, --context, --cloud,
//	IRONWORKS_URL, IRONWORKS_CONTEXT, IRONWORKS_CLOUD,
//	context: of our file,
//	OS_CLOUD,
//	OS_* variables that say where: OS_AUTH_URL, OS_ENDPOINT, …,
//	the only context of our file,
//	the only cloud of clouds.yaml when our file has no contexts,
//	http://127.0.0.1:6385 when nothing at all is configured.
//
// A context's name is looked for in our file first, then in clouds.yaml.
//
// # Single settings
//
// IRONWORKS_CONFIG (--config) names another file. The others are IRONWORKS_URL,
// _CONTEXT, _CLOUD, _READ_ONLY, _TIMEOUT, _CACERT, _INSECURE, _USERNAME and _PASSWORD.
//
// Below the choice of the context, flags win over IRONWORKS_* variables, those over
// the context, and that over the top level of our file. IRONWORKS_USERNAME,
// IRONWORKS_PASSWORD, IRONWORKS_CACERT and IRONWORKS_INSECURE (and their flags) are
// for the selected context only, so no password travels to another Ironic;
// IRONWORKS_TIMEOUT is for all. Credentials in a URL win over IRONWORKS_USERNAME and
// IRONWORKS_PASSWORD when the URL is the flag's or IRONWORKS_URL.
//
// Read-only can only be added by our file's top level, by the context or by
// IRONWORKS_READ_ONLY=true; only an explicit pass --read-only=false to allow changes, and only
// for the selected context.
//
// When OS_CLOUD selects the cloud, OS_REGION_NAME, OS_INTERFACE and OS_SYSTEM_SCOPE
// win over the file and OS_PASSWORD fills in a password that the file lacks, as with
// the openstack command. The other OS_* variables are left alone then: they usually
// belong to another cloud.
package config
