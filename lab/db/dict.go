package db

// Dict is a JSON object such as a node's properties or driver_info. Its values have the types to which encoding/json
// decodes; numbers may be a json.Number or have any numeric type of Go.
type Dict map[string]any

// Clone returns a deep copy. A nil Dict represents JSON's null and stays nil.
func (d Dict) Clone() Dict { return d.clone(func(value any) any { return value }) }

func (d Dict) clone(leaf func(any) any) Dict {
	if d == nil {
		return nil
	}
	copied := make(Dict, len(d))
	for key, value := range d {
		copied[key] = cloneValue(value, leaf)
	}
	return copied
}

func cloneValue(value any, leaf func(any) any) any {
	switch v := value.(type) {
	case Dict:
		return v.clone(leaf)
	case map[string]any:
		return map[string]any(Dict(v).clone(leaf))
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = cloneValue(v[i], leaf)
		}
		return copied
	default:
		return leaf(v)
	}
}

// Text returns the string stored under key. It returns an empty string if the key is missing or its value is not a
// string.
func (d Dict) Text(key string) string {
	s, _ := d[key].(string)
	return s
}
