// Package ironicclient is the client of Ironic's API. gophercloud's service client does HTTP and
// Keystone; this package adds version negotiation without an extra round trip, paging by marker,
// leaving out fields that a server refuses, retries of locked nodes and busy services, and one
// typed error, [models.Fault].
//
//	c := ironicclient.New(connection, ironicclient.Options{})
//	page, err := c.NodePage(ctx, ironicclient.NodeQuery{Limit: 50})
//
// A Client is safe for concurrent use. No type of gophercloud is visible outside the package.
package ironicclient
