package bmc

import (
	"context"

	"ironworks/models"
)

// Do is not here yet.
func Do(ctx context.Context, t Target, o models.BMCOrder) (string, error) { return "", nil }
