// Package weather injects faults between a program and an HTTP API, for tests. It
// provides a proxy on the loopback interface in front of a real server. On demand,
// the proxy's connections stall, break or return wrong content.
//
//	p := weather.Start(t, s.URL)
//	p.Set(weather.On(weather.Method("PUT"), weather.CutAfterSending()).Times(1))
//	…
//	p.Clear()
//
// Requests that no rule matches pass through unchanged.
package weather
