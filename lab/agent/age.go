package agent

import (
	"strconv"
	"strings"
)

// age is how old an agent is. 13.0.0 and 9.4.2 were compared with each other;
// what lies between is taken for new.
type age int

const (
	modern age = iota
	antique
)

// firstModern is the major version from which an agent is taken for new.
const firstModern = 10

// age goes by what the agent says it is.
func (o Options) age() age {
	major, _, _ := strings.Cut(o.Version, ".")
	if n, err := strconv.Atoi(major); err == nil && n < firstModern {
		return antique
	}
	return modern
}

// manages is the version of the generic hardware manager: 1.2 came with
// service steps.
func (a age) manages() string {
	if a == antique {
		return "1.1"
	}
	return "1.2"
}
