package provision

import "ironworks/models"

// Bare returns an action that sends r without the checks of a deployment. It is for tests of the behavior common to
// all verbs.
func Bare(r models.ProvisionRequest) Action { return verbAction{req: r} }

// DeploymentOf returns the function with which the action was created.
func (a *DeployAction) DeploymentOf() DeploymentOf { return a.deploymentOf }
