package db

// Dict is a JSON object: properties, driver_info and their like. Its values are
// those that encoding/json decodes to, with numbers as json.Number or as any of
// Go's own.
type Dict map[string]any

// Clone copies all levels. A nil Dict stays nil, which is JSON's null.
func (d Dict) Clone() Dict {
	if d == nil {
		return nil
	}
	copied := make(Dict, len(d))
	for key, value := range d {
		copied[key] = cloneValue(value)
	}
	return copied
}

func cloneValue(value any) any {
	switch v := value.(type) {
	case Dict:
		return v.Clone()
	case map[string]any:
		return map[string]any(Dict(v).Clone())
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = cloneValue(v[i])
		}
		return copied
	default:
		return v
	}
}

// Text is the string of a key, empty if it is missing or something else.
func (d Dict) Text(key string) string {
	s, _ := d[key].(string)
	return s
}
