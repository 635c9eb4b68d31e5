package real

import (
	"context"
	"fmt"
	"time"
)

// Poll calls check at once and then at every interval until it reports true or
// an error, or ctx ends.
func Poll(ctx context.Context, every time.Duration, check func(context.Context) (bool, error)) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		done, err := check(ctx)
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for a condition: %w", context.Cause(ctx))
		case <-ticker.C:
		}
	}
}
