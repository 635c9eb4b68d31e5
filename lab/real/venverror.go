package real

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Why a Python environment cannot be made.
var (
	// ErrNoPython reports that there is no Python here, or none of a version
	// that a release runs on.
	ErrNoPython = errors.New("no suitable Python")
	// errNoIndex reports that pip does not reach its package index.
	errNoIndex = errors.New("the package index is out of reach")
	// errDiskFull reports that the environment does not fit.
	errDiskFull = errors.New("the disk is full")
)

// exitNoPython is what venv.py exits with if no Python suits.
const exitNoPython = 3

// signs are what Python and pip write in cases that people meet. Later lines
// of pip blame the package ("No matching distribution found"), whatever the
// cause, so that the cause is looked for in all of them.
var signs = []struct {
	err   error
	words []string
	hint  string
}{
	{errDiskFull, []string{"No space left on device", "Disk quota exceeded"}, "make room, or set IRONWORKS_CACHE to a folder elsewhere"},
	{ErrNoPython, []string{"ensurepip is not", "No module named venv", "No module named 'venv'", "No module named ensurepip"}, "python3 lacks venv; Debian and Ubuntu have it in the package python3-venv"},
	{errNoIndex, []string{
		"Failed to establish a new connection", "Temporary failure in name resolution", "Name or service not known",
		"NewConnectionError", "ConnectTimeoutError", "ReadTimeoutError", "ProxyError", "SSLError", "Network is unreachable",
		"(from versions: none)", // an index that answers with nothing, or not at all
	}, "pip needs the network, or an index of yours in PIP_INDEX_URL"},
}

// venvError turns the end of venv.py into what a person can act on.
func venvError(err error, output string) error {
	output = strings.TrimSpace(output)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitNoPython {
		return fmt.Errorf("%w: %s", ErrNoPython, strings.TrimPrefix(output, "venv.py: "))
	}
	for _, sign := range signs {
		for line := range strings.Lines(output) {
			if slices.ContainsFunc(sign.words, func(word string) bool { return strings.Contains(line, word) }) {
				return fmt.Errorf("%w: %s (%s)", sign.err, sign.hint, strings.TrimSpace(line))
			}
		}
	}
	return fmt.Errorf("running venv.py: %w\n%s", err, output)
}
