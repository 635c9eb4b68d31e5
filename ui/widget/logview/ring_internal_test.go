package logview

import (
	"reflect"
	"testing"
)

// TestOverhead: the limit in bytes includes the overhead of entries.
func TestOverhead(t *testing.T) {
	t.Parallel()
	if size := int(reflect.TypeFor[entry]().Size()); overhead < 2*size {
		t.Errorf("an entry takes %d bytes: overhead is %d", size, overhead)
	}
}
