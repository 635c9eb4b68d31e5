package provision

import "ironworks/models"

// Bare is the last request of a deployment by itself, for the tests of what all verbs
// have in common.
func Bare(r models.ProvisionRequest) Action { return verbAction{req: r} }

// Options are those that the action was made with.
func (a *DeployAction) Options() DeployOptions { return a.options }
