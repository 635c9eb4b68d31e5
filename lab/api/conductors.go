package api

import (
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
)

var (
	conductorFields = []string{
		"alive", "conductor_group", "created_at", "drivers", "hostname", "links", "updated_at",
	}
	defaultConductorFields = []string{"hostname", "conductor_group", "alive"}
)

func checkHost(name string, value any) (any, error) {
	if host, ok := value.(string); ok && host == "" {
		return nil, invalidValue("Missing host in %s", name)
	}
	return value, nil
}

// routeConductors is everything below /conductors, which came with 1.49.
func (c *call) routeConductors(rest []string) (any, error) {
	return methods{http.MethodGet: func() (any, error) {
		if !c.atLeast(49) {
			return nil, notServed(http.StatusNotFound, notSupported)
		}
		if len(rest) > 0 {
			return c.showConductor(rest[0])
		}
		return c.listConductors()
	}}.serve(c)
}

func (c *call) conductorDocument(conductor db.Conductor, fields []string) map[string]any {
	drivers := conductor.Drivers
	if drivers == nil {
		drivers = []string{}
	}
	return pick(map[string]any{
		"hostname": conductor.Hostname, "conductor_group": conductor.Group, "alive": conductor.Alive, "drivers": drivers,
		"created_at": timeText(conductor.CreatedAt), "updated_at": timeText(conductor.UpdatedAt),
		"links": c.links("conductors/" + conductor.Hostname),
	}, fields)
}

func (c *call) listConductors() (any, error) {
	args, err := c.take(optional("marker", checkHost), optional("limit", checkInt), optional("sort_key", checkText),
		optional("sort_dir", checkText), optional("fields", checkList), optional("detail", checkBool))
	if err != nil {
		return nil, err
	}
	query := querySchema(conductorFields, map[string]*schema{
		"detail": {types: []string{"string", "boolean"}}, "limit": {types: []string{"integer"}}, "marker": plainText,
		"sort_dir": sortDirSchema, "sort_key": plainText,
	})
	if err := args.checkQuery(query); err != nil {
		return nil, err
	}
	detail := args.boolean("detail")
	fields, err := c.returned(args.list("fields"), detail, defaultConductorFields, 43)
	if err != nil {
		return nil, err
	}
	p, err := takePaging(args)
	if err != nil {
		return nil, err
	}
	if p.key == "alive" || p.key == "drivers" {
		return nil, unsortableKey(p.key)
	}
	if !slices.Contains([]string{"id", "hostname", "conductor_group", "created_at", "updated_at"}, p.key) {
		return nil, noSortKey(p.key)
	}
	conductors := c.tables().Conductors()
	rows, ids := make([]*db.Conductor, len(conductors)), map[string]int{}
	var marker *db.Conductor
	for i := range conductors {
		rows[i], ids[conductors[i].Hostname] = &conductors[i], i
		if conductors[i].Hostname == p.marker {
			marker = rows[i]
		}
	}
	if p.marker != "" && marker == nil {
		return nil, noConductor(p.marker)
	}
	rows = page(p, rows, marker, func(r *db.Conductor) int { return ids[r.Hostname] },
		func(r *db.Conductor, key string) any { return c.conductorDocument(*r, nil)[key] })
	documents, last := make([]map[string]any, len(rows)), ""
	for i, row := range rows {
		documents[i], last = c.conductorDocument(*row, fields), row.Hostname
	}
	return c.collection("conductors", "conductors", documents, p, last, fields, detailQuery(detail)...), nil
}

func noConductor(host string) error {
	return db.Faultf(http.StatusNotFound, "ConductorNotFound", "Conductor %s could not be found.", host)
}

func (c *call) showConductor(host string) (any, error) {
	args, err := c.take(optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	if err := args.checkQuery(querySchema(conductorFields, nil)); err != nil {
		return nil, err
	}
	for _, conductor := range c.tables().Conductors() {
		if strings.EqualFold(conductor.Hostname, host) {
			return inOrder("conductors", c.conductorDocument(conductor, args.list("fields"))), nil
		}
	}
	return nil, noConductor(host)
}

// routeShards is /shards, which came with 1.82.
func (c *call) routeShards(rest []string) (any, error) {
	return methods{http.MethodGet: func() (any, error) {
		if !c.atLeast(82) {
			return nil, notServed(http.StatusNotFound, "The API version does not allow shards")
		}
		if len(rest) > 0 {
			return nil, noSuchResource()
		}
		if _, err := c.take(); err != nil {
			return nil, err
		}
		shards := []any{}
		for _, shard := range c.tables().Shards() {
			shards = append(shards, inOrder("shards", map[string]any{"name": shard.Name, "count": shard.Count}))
		}
		return map[string]any{"shards": shards}, nil
	}}.serve(c)
}
