package provision

import "ironworks/models"

// Bare is the last request of a deployment by itself, for the tests of what all verbs
// have in common.
func Bare(r models.ProvisionRequest) Action { return verbAction{r} }
