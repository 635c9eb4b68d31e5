package logview

import (
	"reflect"
	"testing"
)

// TestOverhead checks that overhead covers the size of the struct, so that the limit in bytes holds.
func TestOverhead(t *testing.T) {
	t.Parallel()
	if size := int(reflect.TypeFor[entry]().Size()); overhead < 2*size {
		t.Errorf("an entry takes %d bytes: overhead is %d", size, overhead)
	}
}
