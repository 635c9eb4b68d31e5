// Package provision acts on nodes. An [Action] is one operation on a node. A [Runner] plans it for
// many nodes, sends it to the nodes for which it is legal, eight nodes at a time, watches each node
// until the action ends, and writes every request to the audit log.
//
//	plan := runner.Plan(provision.Provision(models.ProvisionRequest{Verb: models.VerbManage}), nodes)
//	results := runner.Run(ctx, plan, provision.RunOptions{Wait: true})
//
// Commands and screens use the same functions, so both refuse the same actions.
package provision
