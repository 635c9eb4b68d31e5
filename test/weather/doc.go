// Package weather is bad weather between a program and an HTTP API, for tests: a proxy
// on loopback in front of a real server, whose connections stall, break and lie on
// demand.
//
//	p := weather.Start(t, s.URL)
//	p.Set(weather.On(weather.Method("PUT"), weather.CutAfterSending()).Times(1))
//	…
//	p.Clear()
//
// Everything that is not ruled otherwise passes through unchanged.
package weather
