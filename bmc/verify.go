package bmc

import "context"

// Verify says whether a controller takes the login, and has the machine. An error is a
// *models.Fault.
func Verify(ctx context.Context, t Target) error {
	s, err := open(ctx, &t)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	// Without a login the root is given to everybody, and the systems are not.
	if _, err := s.client.Service.Systems(); err != nil {
		return s.fault(loggingIn, err)
	}
	return nil
}
