package models

// Unique returns the items without repetitions, in their order.
func Unique[T comparable](items []T) []T {
	seen := map[T]bool{}
	var unique []T
	for _, item := range items {
		if !seen[item] {
			seen[item] = true
			unique = append(unique, item)
		}
	}
	return unique
}
