// Package provision acts on nodes. An [Action] is one thing that can be asked of a
// node; a [Runner] plans it for many nodes, sends it to those where it is legal, eight
// at a time, follows each to its end, and writes every request to the audit.
//
//	plan := runner.Plan(ctx, provision.Provision(models.ProvisionRequest{Verb: models.VerbManage}), nodes)
//	results := runner.Run(ctx, plan, provision.RunOptions{Wait: true})
//
// Commands and screens use the same functions, so that what one refuses the other
// refuses too.
package provision
