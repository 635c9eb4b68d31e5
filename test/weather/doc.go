// Package weather injects faults between a program and an HTTP API, for tests: a
// proxy on loopback in front of a real server, whose connections stall, break and
// return wrong content on demand.
//
//	p := weather.Start(t, s.URL)
//	p.Set(weather.On(weather.Method("PUT"), weather.CutAfterSending()).Times(1))
//	…
//	p.Clear()
//
// Requests that no rule matches pass through unchanged.
package weather
