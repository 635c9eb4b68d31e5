package vm

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseDisks(t *testing.T) {
	got, err := ParseDisks("nvme:20G, SSD:40GiB,hdd:1t")
	want := []DiskRequest{{NVMe, 20 << 30}, {SSD, 40 << 30}, {HDD, 1 << 40}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for text, says := range map[string]string{
		"":                      `disk "": want KIND:SIZE`,
		"nvme":                  `disk "nvme": want KIND:SIZE`,
		"nvme:20G,":             `disk "": want KIND:SIZE`,
		"floppy:1G":             `unknown kind "floppy" (want nvme, ssd or hdd)`,
		"ssd:":                  `size "": want a whole number with M, G or T`,
		"ssd:40":                `size "40": want a whole number`,
		"ssd:1.5G":              `size "1.5G": want a whole number`,
		"ssd:-5G":               `want a whole number`,
		"ssd:40GB":              `want a whole number`,
		"ssd:512M":              "out of range (want 1G to 16T)",
		"ssd:17T":               "out of range",
		"ssd:9999999999999T":    "too large",
		"ssd:1G" + more(",", 8): "at most 8",
	} {
		if got, err := ParseDisks(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, %v; want an error with %q", text, got, err, says)
		}
	}
}

func more(separator string, n int) string { return strings.Repeat(separator+"ssd:1G", n) }

func TestParseMemory(t *testing.T) {
	if got, err := ParseMemory("4G"); err != nil || got != 4096 {
		t.Errorf("got %d, %v", got, err)
	}
	if got, err := ParseMemory("512MiB"); err != nil || got != 512 {
		t.Errorf("got %d, %v", got, err)
	}
	for _, text := range []string{"", "4", "100M", "5T", "much"} {
		if got, err := ParseMemory(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}
