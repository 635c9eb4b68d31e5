// Package contract is what Ironic does, as a client sees it: requests and the
// answers that are expected of them.
//
// The same behaviours run against each [Subject]: the newest real Ironic, an
// old one, and, where it is built in, the embedded one. A subject is called by
// HTTP only. What is expected is what the real ones were seen to answer, word
// for word, also where it is an error of theirs; the embedded one has to be
// like the newest. Where the old release differs, its answer stands beside the
// other ("old"); what it is too old for is not run ("since"), and how many that
// are is said at the end. Nothing is skipped, and another number of behaviours
// than the one in counts is a failure.
//
//	go test ./test/contract/embedded                                    the embedded Ironic, in half a minute
//	go test ./test/contract/real -v -run TestContract/newest            one real subject
//	go test ./test/contract/real -v -run TestContract/./patch/add-null  one behaviour
//	go test ./test/contract/machines                                    nodes with a machine, real subjects
//
// # A further behaviour
//
// Most are entries of a table: calls with what is seen of their answers. Put it
// where its subject matter is, with "?" for what is wanted, and run it; then
// take over what the releases answered, unless the source of Ironic says that
// it was a chance:
//
//	{name: "add-null", steps: []step{
//		{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": null}]`,
//			see: "extra", want: `200 extra={"a":null}`},
//	}},
//
// {node} is a node of fake hardware that is the behaviour's own; see [behaviour]
// and [step] for what else there is, and [MachineBehaviour] for nodes with a
// machine. Lists in Ironic's texts that come from a Python set, addresses of
// objects and numbers of database rows are matched by a pattern ("~…").
//
// The provision states and verbs are a matrix of their own: every verb is asked
// of a node in every state, and outcomes has those that are legal.
//
// A subject needs two ways in besides its API, since no client can put a node
// into most states: SetState and Reserve.
package contract
