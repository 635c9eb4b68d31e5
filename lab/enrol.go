package lab

import (
	"context"
	"errors"
	"fmt"
)

// API is what enrolling needs of an Ironic.
type API interface {
	// CreateNode makes a node and answers its UUID.
	CreateNode(ctx context.Context, node map[string]any) (uuid string, err error)
	CreatePort(ctx context.Context, port map[string]any) (uuid string, err error)
	DeleteNode(ctx context.Context, id string) error
}

// Enrol tells an Ironic of all machines, one after the other. Whoever is told
// of each sees its name and, where it did not work, why; the others are
// enrolled all the same. A node whose ports cannot be made is taken back.
func (l *Lab) Enrol(ctx context.Context, api API, id string, interfaces map[string]string, told func(name, uuid string, err error)) error {
	var errs []error
	for _, m := range l.machines {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, fmt.Errorf("enrolling: %w", err))...)
		}
		uuid, err := m.enrol(ctx, api, m.Enrolment(id, interfaces))
		told(m.Name(), uuid, err)
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (m *Machine) enrol(ctx context.Context, api API, e Enrolment) (string, error) {
	uuid, err := api.CreateNode(ctx, e.Node)
	if err != nil {
		return "", fmt.Errorf("enrolling machine %s: %w", m.Name(), err)
	}
	if err := m.enrolPorts(ctx, api, uuid, e.Ports); err != nil {
		return "", err
	}
	return uuid, nil
}

// enrolPorts makes the ports of a node, or takes the node back.
func (m *Machine) enrolPorts(ctx context.Context, api API, uuid string, ports []map[string]any) error {
	for _, port := range ports {
		port["node_uuid"] = uuid
		if _, err := api.CreatePort(ctx, port); err != nil {
			err = fmt.Errorf("enrolling machine %s: port %v: %w", m.Name(), port["address"], err)
			return errors.Join(err, api.DeleteNode(context.WithoutCancel(ctx), uuid))
		}
	}
	return nil
}
