package screen

import (
	"context"

	"ironworks/enroll"
	"ironworks/provision"
)

// Enrolling compares what an operator wants to enroll with Ironic. It reads files and asks BMCs, so call it in
// commands only.
type Enrolling interface {
	// Compare reads the input; progress hears how many BMCs are done, from several goroutines. The login is not kept.
	// An error comes with what was found before it.
	Compare(
		ctx context.Context, in provision.EnrollInput, login enroll.Login, progress func(done, of int),
	) (provision.EnrollFound, enroll.Plan, error)
	// API is what enrolling sends requests with.
	API() provision.EnrollAPI
}

// StartEnroll enrolls nodes after a confirmation. Command is the equivalent command line without the program.
type StartEnroll struct {
	Action  *provision.EnrollAction
	Command []string
}
