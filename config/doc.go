// Package config determines which Ironic to connect to, and how.
//
// A context (a name, a connection, an accent color, read-only, defaults) comes from the
// configuration file, $XDG_CONFIG_HOME/ironworks/config.yaml, from any clouds.yaml of the
// OpenStack clients, from their OS_* variables, or from a bare --url:
//
//	context: rack7                  # the default context
//	timeout: 30s                    # the default of all contexts
//	read_only: false                # true applies to all contexts
//	contexts:
//	  rack7:
//	    url: https://10.0.0.5:6385  # a standalone Ironic …
//	    auth: http_basic            # none, http_basic, password, token,
//	    username: admin             #   application_credential; detected if absent
//	    password_file: rack7.secret # relative to this file's folder; ~ works too
//	    cacert: rack7-ca.pem
//	    accent: red
//	  prod:
//	    cloud: prod                 # … or a cloud of clouds.yaml; other keys override it
//	    region: RegionTwo
//	    read_only: true
//	    defaults: {columns: [name, state], sort: name, filter: "!maintenance:yes"}
//	    checks: {single-disk: refuse}  # policies of deployment checks
//	  dc2:
//	    auth_url: https://keystone.example:5000/v3   # … or Keystone without clouds.yaml
//	    username: admin             # or application_credential_id and …_secret
//	    password: "…"               # or IRONWORKS_PASSWORD
//	    user_domain_name: Default   # the default is the domain "default"
//	    system_scope: all           # or project_name and project_domain_name
//
// The configuration file is parsed strictly: every unknown key, wrong type and bad value is a
// [*FileError] with file, line, column and key. In the OpenStack clients' files, only the keys
// that ironworks uses are checked.
//
// # Selection of the context
//
// The first of the following that is set selects the context:
//
//	--url, --context, --cloud,
//	IRONWORKS_URL, IRONWORKS_CONTEXT, IRONWORKS_CLOUD,
//	context: of the configuration file,
//	OS_CLOUD,
//	OS_* variables with an address: OS_AUTH_URL, OS_ENDPOINT, …,
//	the only context of the configuration file,
//	the only cloud of clouds.yaml if the configuration file has no contexts,
//	http://127.0.0.1:6385 without any configuration.
//
// The name of a context is searched first in the configuration file, then in clouds.yaml.
//
// # Single settings
//
// IRONWORKS_CONFIG, or --config, selects another configuration file. The other variables are
// IRONWORKS_URL, _CONTEXT, _CLOUD, _READ_ONLY, _TIMEOUT, _CACERT, _INSECURE, _USERNAME and
// _PASSWORD.
//
// Once the context is selected, flags take precedence over IRONWORKS_* variables, variables over
// the context, and the context over the top level of the configuration file. IRONWORKS_USERNAME,
// IRONWORKS_PASSWORD, IRONWORKS_CACERT and IRONWORKS_INSECURE (and their flags) apply only to
// the selected context, so that no password is sent to another Ironic; IRONWORKS_TIMEOUT
// applies to all contexts. Credentials in a URL take precedence over IRONWORKS_USERNAME and
// IRONWORKS_PASSWORD if the URL comes from the flag or IRONWORKS_URL.
//
// The top level of the configuration file, the context and IRONWORKS_READ_ONLY=true can each
// enable read-only mode. Only an explicit --read-only=false disables it, and only for the
// selected context.
//
// If OS_CLOUD selects the cloud, OS_REGION_NAME, OS_INTERFACE and OS_SYSTEM_SCOPE override the
// file, and OS_PASSWORD provides a missing password, as for the openstack command. The other
// OS_* variables are then ignored, because they usually belong to another cloud.
package config
