// Package ironicclient is a client for Ironic's API. It uses gophercloud's service client for HTTP and Keystone, and
// adds version negotiation without an extra round trip, paging by marker, omission of fields that a server refuses,
// retries for locked nodes and busy services, and a single error type, [models.Fault].
//
//	c, err := ironicclient.New(connection, ironicclient.Options{})
//	page, err := c.NodePage(ctx, ironicclient.NodeQuery{Limit: 50})
//
// A Client is safe for concurrent use. The package's API contains no types of gophercloud.
package ironicclient
