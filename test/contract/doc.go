// Package contract describes what Ironic does, as a client sees it: requests and
// the expected responses.
//
// The same behaviors run against each [Subject]: the newest real Ironic, an old
// one, and, where it is built in, the embedded one. Subjects are called over HTTP
// only. The expected responses are those of the real Ironics, word for word, even
// where they are bugs; the embedded Ironic must respond like the newest one. Where
// the old release responds differently, its response is next to the other one
// ("old"). Behaviors that the old release does not support are not run ("since"),
// and their number is reported at the end. Nothing is skipped: if the number of
// behaviors that ran differs from the one in counts, the test fails.
//
//	go test ./test/contract/embedded                                    the embedded Ironic, in half a minute
//	go test ./test/contract/real -v -run TestContract/newest            one real subject
//	go test ./test/contract/real -v -run TestContract/./patch/add-null  one behavior
//	go test ./test/contract/machines                                    nodes with a machine, real subjects
//
// # How to add a behavior
//
// Most behaviors are entries in a table: requests and the interesting parts of
// their responses. Add an entry to the table for its topic, with "?" as the wanted
// response, and run it. Then copy what the releases responded, unless Ironic's
// source shows that it may vary:
//
//	{name: "add-null", steps: []step{
//		{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": null}]`,
//			see: "extra", want: `200 extra={"a":null}`},
//	}},
//
// {node} is a node of fake hardware that only this behavior uses. [behavior] and
// [step] describe the other possibilities, and [MachineBehavior] nodes with a
// machine. If a text from Ironic contains a Python set, the address of an object
// or the number of a database row, match it by a pattern ("~…").
//
// The provision states and verbs have a separate matrix: every verb is sent to
// a node in every state, and outcomes lists the legal combinations.
//
// A subject needs two functions besides its API, SetState and Reserve, since no
// client can put a node into most states.
package contract
