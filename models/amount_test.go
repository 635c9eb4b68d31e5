package models

import (
	"testing"
	"time"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"4096": 4096, "0": 0, "500MiB": 500 << 20, "500 mib": 500 << 20, "1.5GiB": 3 << 29, "2GB": 2e9, "1k": 1024, "7B": 7,
		"": -1, "MiB": -1, "-1": -1, "1PiB": -1, "1e30": -1, "much": -1, "NaN": -1, "1 2": -1,
	} {
		got, err := ParseBytes(text)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d %v, want %d", text, got, err, want)
		}
	}
}

func TestFormatBytes(t *testing.T) {
	for size, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "0.98 KiB", 1536: "1.50 KiB", 41 << 20: "41.0 MiB", 512 << 20: "512 MiB", 1023 << 20: "1.00 GiB", 5 << 40: "5.00 TiB", 5 << 50: "5120 TiB",
	} {
		if got := FormatBytes(size); got != want {
			t.Errorf("%d: %s, want %s", size, got, want)
		}
	}
}

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"90d": 90 * day, "2w": 14 * day, "1w1d12h": 8*day + 12*time.Hour, "10m": 10 * time.Minute, "0": 0, "0d": 0,
		"": -1, "d": -1, "-1d": -1, "-1h": -1, "5": -1, "1d-1h": -1, "1d+1h": -1, "1h1d": -1, "999999d": -1, "soon": -1,
	} {
		got, err := ParseAge(text)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %v %v, want %v", text, got, err, want)
		}
	}
}
