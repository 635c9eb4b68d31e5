package provision

import "ironworks/models"

// Bare returns the last request of a deployment as an action without checks. It is for tests of the behavior common
// to all verbs.
func Bare(r models.ProvisionRequest) Action { return verbAction{req: r} }

// Options returns the options with which the action was created.
func (a *DeployAction) Options() DeployOptions { return a.options }
