package hints

import "ironworks/models"

// PythonMasked returns a copy of v without secrets. A value whose key looks like the name of a secret is replaced by
// [models.Mask]. key is the key of v itself, or "" if it has none.
func PythonMasked(key string, v any) any {
	switch v := v.(type) {
	case *PythonDict:
		d := &PythonDict{}
		for _, k := range v.keys {
			d.Set(k, PythonMasked(k, v.values[k]))
		}
		return d
	case PythonList:
		list := make(PythonList, len(v))
		for i := range v {
			list[i] = PythonMasked(key, v[i])
		}
		return list
	case string, bool, float64, PythonInt:
		if models.SecretKey(key) {
			return models.Mask
		}
	}
	return v
}
