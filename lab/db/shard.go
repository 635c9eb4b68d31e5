package db

import (
	"cmp"
	"slices"
)

// Shard is how many nodes have a shard.
type Shard struct {
	Name  string // "None" for the nodes without
	Count int
}

// Shards are all shards, the biggest first.
func (s *Store) Shards() []Shard {
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := map[string]int{}
	for _, n := range s.Nodes.order {
		counts[n.Shard]++
	}
	shards := make([]Shard, 0, len(counts))
	for name, count := range counts {
		if name == "" {
			name = "None"
		}
		shards = append(shards, Shard{name, count})
	}
	slices.SortFunc(shards, func(a, b Shard) int {
		// The order of equal ones is the real one's database's own: by name.
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return shards
}
