// Package config determines which Ironic to connect to, and how.
//
// A context (a name, a connection, an accent color, read-only, defaults) comes from the configuration file, from any
// clouds.yaml of the OpenStack clients, from their OS_* variables, or from a bare --url. docs/reference/config.md
// describes the files and variables, and the order in which they select the context.
//
// The configuration file is parsed strictly: every unknown key, wrong type and bad value is a [*FileError] with file,
// line, column and key. In the OpenStack clients' files, only the keys that ironworks uses are checked.
//
// # Single settings
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
