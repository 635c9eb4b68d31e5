package bmc

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/models"
)

// mutate randomly replaces parts of a decoded JSON response with values of other types.
func mutate(random *rand.Rand, value any) any {
	if random.IntN(40) == 0 {
		return []any{
			nil, "", "x", "\x1b[2J" + password, true, -1.0, 1e300,
			[]any{},
			[]any{nil, nil},
			map[string]any{},
			[]any{map[string]any{}},
			map[string]any{"@odata.id": "/redfish/v1/Systems"},
			"/redfish/v1/Systems/m1",
			[]any{[]any{[]any{}}},
			"1970-01-01T00:00:00Z",
		}[random.IntN(15)]
	}
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = mutate(random, v[i])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) { // in the same order each time
			v[name] = mutate(random, v[name])
		}
	}
	return value
}

// TestMutations checks that random responses cause neither a crash nor a hang, and that the result is safe to show.
func TestMutations(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "m1")
	if err := m.SetBIOS(map[string]any{"NumLock": "Off"}); err != nil {
		t.Fatal(err)
	}
	powerOn(t, m)
	c := newController(t, false, m)
	orders := []models.BMCOrder{}
	for _, v := range models.BMCVerbs() {
		o := models.BMCOrder{Verb: v}
		switch v { //nolint:exhaustive // the others need no checks
		case models.BMCBootOnce:
			o.Boot = "Cd"
		case models.BMCInsert:
			o.Image = "http://127.0.0.1:9/a.iso"
		}
		orders = append(orders, o)
	}
	found := 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same each time
		c.mu.Lock()
		c.instead = func(w http.ResponseWriter, r *http.Request) bool {
			c.mu.Lock() // serialize requests, so that the sequence is the same each time
			defer c.mu.Unlock()
			return mutated(random, c.rack, w, r)
		}
		c.mu.Unlock()
		x := target(c)
		x.limits = quick()
		began := time.Now()
		got, err := Probe(t.Context(), x)
		text, _ := json.Marshal(got)
		all := string(text)
		if err == nil {
			found++
		} else {
			all += err.Error()
		}
		did, err := Do(t.Context(), x, orders[seed%uint64(len(orders))])
		all += did
		if err != nil {
			all += err.Error()
		}
		if strings.Contains(all, password) || strings.Contains(all, "\x1b") || strings.Contains(all, `\u001b`) {
			t.Errorf("seed %d: %s", seed, all)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("seed %d: it took %s", seed, took)
		}
	}
	if found < 30 {
		t.Errorf("of %d looks %d found something: too much was changed for this to say anything", 60, found)
	}
}

// mutated answers like the lab's machine, but with random changes.
func mutated(random *rand.Rand, rack *machine.Rack, w http.ResponseWriter, r *http.Request) bool {
	answer := httptest.NewRecorder()
	rack.ServeHTTP(answer, r)
	for name, all := range answer.Header() {
		w.Header()[name] = all
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(answer.Code)
	var value any
	if r.Method != http.MethodGet || json.Unmarshal(answer.Body.Bytes(), &value) != nil {
		_, _ = w.Write(answer.Body.Bytes())
		return true
	}
	_ = json.NewEncoder(w).Encode(mutate(random, value))
	return true
}
