package screen

import (
	"context"

	"ironworks/enroll"
	"ironworks/provision"
)

// Enrolling compares nodes to be enrolled with the nodes in Ironic. Its methods read files and query BMCs, so they
// must be called only in commands.
type Enrolling interface {
	// Compare reads nodes from the files or BMCs of the given source, and compares them with the nodes in Ironic.
	// Several goroutines may call progress; its arguments are the number of BMCs read so far and the total number of
	// BMCs. The login is not stored. If Compare fails, the result contains everything that was read before the error.
	Compare(
		ctx context.Context, in *provision.EnrollSource, login enroll.Login, progress func(done, of int),
	) (provision.EnrollFound, enroll.Plan, error)
	// API returns the API that the enrollment requests are sent to.
	API() provision.EnrollAPI
}

// StartEnroll enrolls nodes after a confirmation. Command is the command line that enrolls the same nodes, without
// the program name.
type StartEnroll struct {
	Action  *provision.EnrollAction
	Command []string
}
