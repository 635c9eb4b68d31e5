package db

import "net/http"

// stamped sets the time of a change.
type stamped interface{ stamp(s *Store) }

func (p *Port) stamp(s *Store)           { p.UpdatedAt = s.now() }
func (g *Portgroup) stamp(s *Store)      { g.UpdatedAt = s.now() }
func (a *Allocation) stamp(s *Store)     { a.UpdatedAt = s.now() }
func (t *DeployTemplate) stamp(s *Store) { t.UpdatedAt = s.now() }

type stampedRow[T any] interface {
	row[T]
	stamped
}

func list[T any, P row[T]](s *Store, t *table[T, P], keep func(*T) bool) []*T {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return t.clone(keep)
}

func find[T any, P row[T]](s *Store, t *table[T, P], uuid string) (*T, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, err := t.get(uuid)
	if err != nil {
		return nil, err
	}
	return P(r).Clone(), nil
}

func insert[T any, P row[T]](s *Store, t *table[T, P], r *T) (*T, error) {
	if err := t.insert(r); err != nil {
		return nil, err
	}
	s.changed()
	return P(r).Clone(), nil
}

// update changes a row; keep restores what no change may change.
func update[T any, P stampedRow[T]](
	s *Store, t *table[T, P], uuid string, change func(*T) error, keep func(old, r *T),
) (*T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := t.get(uuid)
	if err != nil {
		return nil, err
	}
	r := P(old).Clone()
	if err := change(r); err != nil {
		return nil, err
	}
	keep(old, r)
	P(r).stamp(s)
	if err := t.replace(r); err != nil {
		return nil, err
	}
	s.changed()
	return P(r).Clone(), nil
}

func destroy[T any, P row[T]](s *Store, t *table[T, P], uuid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := t.remove(uuid); err != nil {
		return err
	}
	s.changed()
	return nil
}

// Ports are copies of those that keep accepts, in the order of their making.
func (s *Store) Ports(keep func(*Port) bool) []*Port { return list(s, s.ports, keep) }

// Port finds one by UUID.
func (s *Store) Port(uuid string) (*Port, error) { return find(s, s.ports, uuid) }

// CreatePort adds a port.
func (s *Store) CreatePort(port *Port) (*Port, error) {
	p := port.Clone()
	if p.UUID == "" {
		p.UUID = NewUUID()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.ID, p.CreatedAt, p.UpdatedAt = s.ports.nextID, s.now(), noTime
	return insert(s, s.ports, p)
}

// UpdatePort changes a port.
func (s *Store) UpdatePort(uuid string, change func(*Port) error) (*Port, error) {
	return update(s, s.ports, uuid, change, func(old, p *Port) {
		p.ID, p.UUID, p.CreatedAt = old.ID, old.UUID, old.CreatedAt
	})
}

// DestroyPort removes a port.
func (s *Store) DestroyPort(uuid string) error { return destroy(s, s.ports, uuid) }

// Portgroups are copies of those that keep accepts, in the order of their making.
func (s *Store) Portgroups(keep func(*Portgroup) bool) []*Portgroup { return list(s, s.groups, keep) }

// Portgroup finds one by UUID.
func (s *Store) Portgroup(uuid string) (*Portgroup, error) { return find(s, s.groups, uuid) }

// defaultPortgroupMode is the default of default_portgroup_mode.
const defaultPortgroupMode = "active-backup"

// CreatePortgroup adds a portgroup.
func (s *Store) CreatePortgroup(group *Portgroup) (*Portgroup, error) {
	g := group.Clone()
	if g.UUID == "" {
		g.UUID = NewUUID()
	}
	if g.Mode == "" {
		g.Mode = defaultPortgroupMode
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g.ID, g.CreatedAt, g.UpdatedAt = s.groups.nextID, s.now(), noTime
	return insert(s, s.groups, g)
}

// UpdatePortgroup changes a portgroup.
func (s *Store) UpdatePortgroup(uuid string, change func(*Portgroup) error) (*Portgroup, error) {
	return update(s, s.groups, uuid, change, func(old, g *Portgroup) {
		g.ID, g.UUID, g.CreatedAt = old.ID, old.UUID, old.CreatedAt
	})
}

// DestroyPortgroup removes a portgroup that has no ports.
func (s *Store) DestroyPortgroup(uuid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	group, err := s.groups.get(uuid)
	if err != nil {
		return err
	}
	for _, p := range s.ports.order {
		if p.PortgroupUUID == uuid {
			// The real one names it by the database's number.
			return Faultf(http.StatusBadRequest, "PortgroupNotEmpty", "Cannot complete the requested action because "+
				"portgroup %d contains ports.", group.ID)
		}
	}
	if err := s.groups.remove(uuid); err != nil {
		return err
	}
	s.changed()
	return nil
}

// DeployTemplates are copies of those that keep accepts, in the order of their making.
func (s *Store) DeployTemplates(keep func(*DeployTemplate) bool) []*DeployTemplate {
	return list(s, s.templates, keep)
}

// DeployTemplate finds one by UUID.
func (s *Store) DeployTemplate(uuid string) (*DeployTemplate, error) {
	return find(s, s.templates, uuid)
}

// CreateDeployTemplate adds a deploy template.
func (s *Store) CreateDeployTemplate(template *DeployTemplate) (*DeployTemplate, error) {
	t := template.Clone()
	if t.UUID == "" {
		t.UUID = NewUUID()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.ID, t.CreatedAt, t.UpdatedAt = s.templates.nextID, s.now(), noTime
	return insert(s, s.templates, t)
}

// UpdateDeployTemplate changes a deploy template.
func (s *Store) UpdateDeployTemplate(uuid string, change func(*DeployTemplate) error) (*DeployTemplate, error) {
	return update(s, s.templates, uuid, change, func(old, t *DeployTemplate) {
		t.ID, t.UUID, t.CreatedAt = old.ID, old.UUID, old.CreatedAt
	})
}

// DestroyDeployTemplate removes a deploy template.
func (s *Store) DestroyDeployTemplate(uuid string) error { return destroy(s, s.templates, uuid) }
