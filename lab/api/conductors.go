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

// routeConductors handles everything below /conductors, which was introduced in 1.49.
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
	document := conductorColumns.all(&conductor, "conductors")
	document["conductor_group"], document["links"] = conductor.Group, c.links("conductors/"+conductor.Hostname)
	return pick(document, fields)
}

func (c *call) listConductors() (any, error) {
	query := querySchema(conductorFields, map[string]*schema{
		"detail": {Types: []string{"string", "boolean"}}, "limit": {Types: []string{"integer"}}, "marker": plainText,
		"sort_dir": sortDirSchema, "sort_key": plainText,
	})
	args, fields, err := c.listArguments(query, defaultConductorFields, listParams(checkHost, checkText))
	if err != nil {
		return nil, err
	}
	all := c.tables().Conductors()
	rows, ids := make([]*db.Conductor, len(all)), map[*db.Conductor]int{}
	for i := range all {
		rows[i], ids[&all[i]] = &all[i], i
	}
	return listing[db.Conductor]{
		name: "conductors", path: "conductors", unsortable: []string{"alive", "drivers"}, columns: conductorColumns,
		find: func(host string) (*db.Conductor, error) {
			at := slices.IndexFunc(all, func(one db.Conductor) bool { return one.Hostname == host })
			if at < 0 {
				return nil, noConductor(host)
			}
			return rows[at], nil
		},
		rows: func(*paging) ([]*db.Conductor, error) { return rows, nil },
		sortable: func(key string) bool {
			return slices.Contains([]string{"id", "hostname", "conductor_group", "created_at", "updated_at"}, key)
		},
		id:       func(one *db.Conductor) int { return ids[one] },
		marker:   func(one *db.Conductor) string { return one.Hostname },
		value:    func(one *db.Conductor, key string) any { return c.conductorDocument(*one, nil)[key] },
		document: func(one *db.Conductor) (map[string]any, error) { return c.conductorDocument(*one, fields), nil },
	}.answer(c, args, fields, detailQuery(args.boolean("detail"))...)
}

func noConductor(host string) error {
	return db.Faultf(http.StatusNotFound, "ConductorNotFound", "Conductor %s could not be found.", host)
}

func (c *call) showConductor(host string) (any, error) {
	args, err := c.checkArguments(optional("fields", checkList))
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

// routeShards handles /shards, which was introduced in 1.82.
func (c *call) routeShards(rest []string) (any, error) {
	return methods{http.MethodGet: func() (any, error) {
		if !c.atLeast(82) {
			return nil, notServed(http.StatusNotFound, "The API version does not allow shards")
		}
		if len(rest) > 0 {
			return nil, noSuchResource()
		}
		if _, err := c.checkArguments(); err != nil {
			return nil, err
		}
		shards := []any{}
		for _, shard := range c.tables().Shards() {
			shards = append(shards, inOrder("shards", map[string]any{"name": shard.Name, "count": shard.Count}))
		}
		return map[string]any{"shards": shards}, nil
	}}.serve(c)
}
