package screen

import (
	"context"

	"ironworks/enroll"
	"ironworks/provision"
)

// Enrolling compares an input of nodes with Ironic. It reads files and queries BMCs, so call it in commands only.
type Enrolling interface {
	// Compare reads the nodes of the input from its files or BMCs, and compares them with Ironic's. progress is called
	// with the number of finished BMCs, from several goroutines. The login is not stored. If Compare fails, the result
	// has what was read until then.
	Compare(
		ctx context.Context, in *provision.EnrollSource, login enroll.Login, progress func(done, of int),
	) (provision.EnrollFound, enroll.Plan, error)
	// API sends the requests.
	API() provision.EnrollAPI
}

// StartEnroll enrolls nodes after a confirmation. Command is the equivalent command line without the program.
type StartEnroll struct {
	Action  *provision.EnrollAction
	Command []string
}
