package machine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
)

// BenchmarkRack measures the memory that a thousand machines in one Redfish service need, the time to list all
// machines, and the time to poll one machine.
func BenchmarkRack(b *testing.B) {
	const count = 1000
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	make1000 := func(b *testing.B) *Rack {
		b.Helper()
		var machines []*Machine
		for i := range count {
			s := spec()
			s.Name = fmt.Sprintf("m%04d", i)
			m, err := New(s, Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(m.Close)
			machines = append(machines, m)
		}
		r, err := NewRack(nil, machines...)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	b.Run("make 1000", func(b *testing.B) {
		before := heap()
		racks := []*Rack{}
		for b.Loop() {
			racks = append(racks, make1000(b))
		}
		b.ReportMetric(float64(heap()-before)/float64(count*len(racks)), "B/machine")
		runtime.KeepAlive(racks)
	})
	for _, path := range []string{"/Systems", "/Systems/m0500"} {
		b.Run("GET "+path, func(b *testing.B) {
			r := make1000(b)
			for b.Loop() {
				request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, root+path, http.NoBody)
				request.SetBasicAuth("admin", "secret")
				w := httptest.NewRecorder()
				r.ServeHTTP(w, request)
				if w.Code != http.StatusOK {
					b.Fatalf("status %d", w.Code)
				}
			}
		})
	}
}
