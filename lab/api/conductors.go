package api

import (
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
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

func (c *call) conductors() collection[db.Conductor] {
	return collection[db.Conductor]{
		call: c, name: "conductors", path: "conductors", columns: conductorColumns, key: "hostname",
		fill: func(row *db.Conductor, document map[string]any) { document["conductor_group"] = row.Group },
	}
}

func (c *call) listConductors() (any, error) {
	rows := pointers(c.tables().Conductors())
	return listing[db.Conductor]{
		collection: c.conductors(), params: listParams(checkHost, checkText),
		standard: []string{"hostname", "conductor_group", "alive"},
		query: querySchema(fieldsOf("conductors"), map[string]*schema{
			"detail": {Types: []string{"string", "boolean"}}, "limit": {Types: []string{"integer"}}, "marker": plainText,
			"sort_dir": sortDirSchema, "sort_key": plainText,
		}),
		check: c.checkVersions, unsortable: []string{"alive", "drivers"},
		marked: func(host string) (*db.Conductor, error) {
			return findConductor(rows, host, func(one *db.Conductor) bool { return one.Hostname == host })
		},
		rows: func(arguments, *paging) ([]*db.Conductor, error) { return rows, nil },
		sortable: func(key string) bool {
			return slices.Contains([]string{"id", "hostname", "conductor_group", "created_at", "updated_at"}, key)
		},
		id: func(one *db.Conductor) int { return slices.Index(rows, one) },
		value: func(one *db.Conductor, key string) any {
			if key == "conductor_group" {
				return one.Group
			}
			return conductorColumns.shown(one, key)
		},
	}.answer()
}

// pointers returns pointers to the elements of a list.
func pointers[T any](list []T) []*T {
	made := make([]*T, len(list))
	for i := range list {
		made[i] = &list[i]
	}
	return made
}

func findConductor(rows []*db.Conductor, host string, is func(*db.Conductor) bool) (*db.Conductor, error) {
	if at := slices.IndexFunc(rows, is); at >= 0 {
		return rows[at], nil
	}
	return nil, db.Faultf(http.StatusNotFound, "ConductorNotFound", "Conductor %s could not be found.", host)
}

func (c *call) showConductor(host string) (any, error) {
	fields, err := c.shownFields(querySchema(fieldsOf("conductors"), nil), optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	rows := pointers(c.tables().Conductors())
	return c.conductors().shown(fields)(findConductor(rows, host, func(one *db.Conductor) bool {
		return strings.EqualFold(one.Hostname, host)
	}))
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
