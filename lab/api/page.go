package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// maxLimit is the default of the [api] max_limit option.
const maxLimit = 1000

// paging holds the parameters of a request for one page of a list.
type paging struct {
	limit  int
	marker string
	key    string
	// direction is asc or desc.
	direction string
	whole     bool // the list has only one page, which contains all rows
	// before holds the parameters that precede the sort parameters in a next link, and after those that follow them.
	before, after []query
	single        bool // the list has at most one row, and no next link
}

var pagingParams = []param{
	optional("marker", checkUUID), optional("limit", checkInt), optional("sort_key", checkText),
	optional("sort_dir", checkText),
}

// listParams returns the parameters of a list endpoint that accepts a selection of fields, in Ironic's order. The
// marker check applies to the marker parameter. The text check applies to sort_key and sort_dir.
func listParams(marker, text check, others ...param) []param {
	return append([]param{
		optional("marker", marker), optional("limit", checkInt), optional("sort_key", text), optional("sort_dir", text),
		optional("fields", checkList), optional("detail", checkBool),
	}, others...)
}

// checkVersions rejects selected fields and a sort key that are newer than the API version.
func (c *call) checkVersions(args arguments) error {
	return c.checkFields(append(slices.Clone(args.list("fields")), args.text("sort_key"))...)
}

// parsePaging reads the paging parameters. It checks only limit and sort_dir; the list's endpoint checks marker and
// sort_key.
func parsePaging(args arguments) (paging, error) {
	p := paging{limit: maxLimit, marker: args.text("marker"), key: cmp.Or(args.text("sort_key"), "id"), direction: "asc"}
	if limit := args.integer("limit"); limit != nil {
		if *limit <= 0 {
			return p, invalid("Limit must be positive")
		}
		p.limit = min(maxLimit, *limit)
	}
	if given, ok := args["sort_dir"]; ok {
		p.direction = python.Str(given)
	}
	if p.direction != "asc" && p.direction != "desc" {
		return p, invalid("Invalid sort direction: %s. Acceptable values are 'asc' or 'desc'", p.direction)
	}
	return p, nil
}

func unsortableKey(key string) error {
	return invalidValue("The sort_key value %s is an invalid field for sorting", key)
}

func noSortKey(key string) error {
	return invalidValue("The sort_key value \"%s\" is an invalid field for sorting", key)
}

// page returns the rows of one page. The rows are sorted by the value of the sort key, then by ID. If there is a
// marker, the page starts after it. The given rows must be in the order of their IDs.
func page[T any](p paging, rows []*T, marker *T, id func(*T) int, value func(*T, string) any) []*T {
	down := p.direction == "desc"
	compare := func(a, b *T) int {
		order := 0
		if p.key != "id" {
			order = compareValues(value(a, p.key), value(b, p.key))
		}
		order = cmp.Or(order, cmp.Compare(id(a), id(b)))
		if down {
			return -order
		}
		return order
	}
	if p.key != "id" || down {
		rows = slices.Clone(rows)
		slices.SortFunc(rows, compare)
	}
	switch {
	case marker != nil && p.key == "id":
		start, _ := slices.BinarySearchFunc(rows, marker, func(row, marker *T) int {
			return cmp.Or(compare(row, marker), -1) // the marker itself is not on the page
		})
		rows = rows[start:]
	case marker != nil:
		from := value(marker, p.key)
		rows = slices.DeleteFunc(rows, func(row *T) bool {
			// These are oslo.db's criteria (paginate_query in oslo_db/sqlalchemy/utils.py). If the marker's value is
			// null, only the IDs are compared. In SQL, null is neither below nor above a value. As in Ironic, pages
			// therefore omit some rows and repeat others.
			switch v := value(row, p.key); {
			case from == nil:
				return (id(row) > id(marker)) == down || id(row) == id(marker)
			case v == nil:
				return true
			}
			return compare(row, marker) <= 0
		})
	}
	return rows[:min(p.limit, len(rows))]
}

// compareValues compares two values of a sort key. Null comes first, as in Ironic's databases.
func compareValues(a, b any) int {
	if a == nil || b == nil {
		return compareBool(a != nil, b != nil)
	}
	switch x := a.(type) {
	case bool:
		y, _ := b.(bool)
		return compareBool(x, y)
	case int:
		y, _ := b.(int)
		return cmp.Compare(x, y)
	default:
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// listing describes how the API lists a collection: its parameters, its sort keys, and the functions that return its
// rows.
type listing[T any] struct {
	collection[T]
	suffix string // follows the path of the collection
	params []param
	// query is the schema of the arguments. check makes further checks. Both may be nil.
	query *schema
	check func(args arguments) error
	// standard contains the fields that are shown if the request neither selects fields nor asks for details. It is nil
	// for all fields.
	standard []string
	// unsortable contains the columns with structured values, by which a list cannot be sorted. sortable reports
	// whether any other key is a valid sort key.
	unsortable []string
	sortable   func(key string) bool
	// markerFirst reports whether Ironic checks the marker before the sort key.
	markerFirst bool
	// marked returns the row that a marker names. If it is nil, the marker is a UUID.
	marked func(marker string) (*T, error)
	// rows returns the rows that match the filters, in the order of their IDs.
	rows func(args arguments, p *paging) ([]*T, error)
	// value returns a row's value for a sort key. If value is nil, the value of the column is used.
	value func(row *T, key string) any
	// trim, if not nil, removes rows from a page.
	trim func(args arguments, rows []*T) []*T
	// id returns the number by which rows with equal sort values are sorted. If id is nil, the id column is used.
	id func(row *T) int
}

// answer checks the arguments and returns the document of the requested page.
func (l listing[T]) answer() (any, error) {
	args, err := l.checkQuery(l.query, l.params...)
	if err == nil && l.check != nil {
		err = l.check(args)
	}
	if err != nil {
		return nil, err
	}
	detail := args.boolean("detail")
	fields, err := l.returned(args.list("fields"), detail, l.standard, 43)
	if err != nil {
		return nil, err
	}
	return l.page(args, fields, detailQuery(detail)...)
}

// page returns the document of the requested page. The arguments must have been checked.
func (l listing[T]) page(args arguments, fields []string, queries ...query) (any, error) {
	p, err := parsePaging(args)
	if err != nil {
		return nil, err
	}
	if l.name == "history" && !args.has("sort_key") {
		p.key = "created_at"
	}
	structured := slices.Contains(l.unsortable, p.key)
	if structured && !l.markerFirst {
		return nil, unsortableKey(p.key)
	}
	if l.marked == nil {
		l.marked = l.table.Get
	}
	var marker *T
	if p.marker != "" {
		if marker, err = l.marked(p.marker); err != nil {
			return nil, err
		}
	}
	if structured {
		return nil, unsortableKey(p.key)
	}
	rows, err := l.rows(args, &p)
	if err != nil {
		return nil, err
	}
	if !l.sortable(p.key) {
		return nil, noSortKey(p.key)
	}
	if l.value == nil {
		l.value = func(row *T, key string) any { return l.columns.shown(row, key) }
	}
	if l.id == nil {
		l.id = func(row *T) int {
			id, _ := l.columns.of(row, "id").(*int)
			return *id
		}
	}
	if !p.whole {
		rows = page(p, rows, marker, l.id, l.value)
	}
	if l.trim != nil {
		rows = l.trim(args, rows)
	}
	documents, order := make([]document, len(rows)), l.order(fields)
	for i, row := range rows {
		shown, err := l.document(row, fields)
		if err != nil {
			return nil, err
		}
		documents[i] = document{order: order, fields: shown}
	}
	answer := map[string]any{l.name: documents}
	if count := len(rows); count > 0 && count == p.limit && !p.single {
		answer["next"] = l.nextLink(p, l.ident(rows[count-1]), fields, queries)
	}
	return document{order: []string{l.name, "next"}, fields: answer}, nil
}

// query is a parameter of a next link.
type query struct{ name, value string }

// nextLink returns the address of the page after the given marker. Like Ironic, the API assumes that a full page is
// followed by another one.
func (l listing[T]) nextLink(p paging, marker string, fields []string, queries []query) string {
	queries = slices.Concat(p.before, []query{{"sort_key", p.key}, {"sort_dir", p.direction}}, p.after, queries)
	if fields != nil {
		queries = append(queries, query{"fields", strings.Join(fields, ",")})
	}
	var b strings.Builder
	for _, q := range queries {
		b.WriteString(q.name + "=" + q.value + "&")
	}
	return fmt.Sprintf("%s/v1/%s?%slimit=%d&marker=%s", l.url, l.path+l.suffix, b.String(), p.limit, marker)
}

// detailQuery returns the detail parameter for a next link, or nil if the request had no such parameter.
func detailQuery(detail *bool) []query {
	if detail == nil {
		return nil
	}
	return []query{{"detail", python.Str(*detail)}}
}

// pick returns the document with only its links and the requested fields. If fields is nil, all fields are requested.
func pick(document map[string]any, fields []string) map[string]any {
	if fields == nil {
		return document
	}
	for key := range document {
		if key != "links" && !slices.Contains(fields, key) {
			delete(document, key)
		}
	}
	return document
}

// checkDocumentFields rejects fields that a document does not have.
func checkDocumentFields(fields []string, document map[string]any) error {
	var wrong []string
	for _, field := range fields {
		if _, ok := document[field]; !ok {
			wrong = append(wrong, field)
		}
	}
	if len(wrong) > 0 {
		return invalidValue("Field(s) \"%s\" are not valid", strings.Join(wrong, ", "))
	}
	return nil
}

// sortableNode returns the node's value for the given sort key.
func (c *call) sortableNode(n *db.Node, key string) any {
	switch key {
	case "conductor_affinity", "version":
		return nil
	case "chassis_id":
		if chassis, err := c.tables().Chassis.Peek(n.ChassisUUID); err == nil {
			return chassis.ID
		}
		return nil
	case "allocation_id":
		return orNull(n.AllocationID)
	default:
		return column(n, key)
	}
}
