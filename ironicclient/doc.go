// Package ironicclient talks to Ironic's API. gophercloud's service client does the
// HTTP and Keystone; on top of it this package negotiates the API version without a
// round trip of its own, pages by marker, drops fields that a server refuses, retries
// what goes away by waiting, and turns everything that can go wrong into one typed
// error, [models.Fault].
//
//	c := ironicclient.New(connection, ironicclient.Options{})
//	page, err := c.NodePage(ctx, ironicclient.NodeQuery{Limit: 50})
//
// A Client may be used from several goroutines. Nothing of gophercloud is visible
// outside the package.
package ironicclient
