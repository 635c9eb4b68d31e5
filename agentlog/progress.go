package agentlog

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"ironworks/models"
)

// progressLine is what coreos-installer writes once a second where nobody sees it draw:
// Read disk 1.2 GiB/3.4 GiB (35%).
var progressLine = regexp.MustCompile(`^(?:> )?Read (?:\S+ )?(\d{1,7}(?:\.\d{1,3})?) ?([KMGTP]iB|B)/(\d{1,7}(?:\.\d{1,3})?) ?([KMGTP]iB|B) \((\d{1,3})%\)$`)

// readProgress reads a line of coreos-installer about how far it is, nil if it is none.
func readProgress(text string) *models.InstallProgress {
	if !strings.HasSuffix(text, "%)") || !strings.Contains(text, "Read ") {
		return nil
	}
	m := progressLine.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	done, total := size(m[1], m[2]), size(m[3], m[4])
	percent, err := strconv.Atoi(m[5])
	if err != nil || percent > 100 || done > total {
		return nil
	}
	return &models.InstallProgress{Done: done, Total: total, Percent: percent}
}

func size(number, unit string) int64 {
	n, _ := strconv.ParseFloat(number, 64) // the expression has seen to it
	return int64(n * math.Pow(1024, float64(strings.Index("BKMGTP", unit[:1]))))
}
