package userdata_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/ignition/userdata"
)

// bomb returns a small gzip file that unpacks to the given number of bytes.
func bomb(tb testing.TB, size int) []byte {
	tb.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		tb.Fatal(err)
	}
	for chunk := make([]byte, 1<<20); size > 0; size -= len(chunk) {
		if _, err := z.Write(chunk); err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	return b.String()
}

func laughs(version string) string {
	var b strings.Builder
	b.WriteString("variant: fcos\nversion: " + version + "\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 12 {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
	}
	return b.String()
}

// TestCheckHostile checks that hostile input is checked quickly and with little memory.
func TestCheckHostile(t *testing.T) {
	big := bomb(t, 70<<20)
	for _, tt := range []struct {
		name, data string
		want       userdata.ProblemID
	}{
		{"65 MiB", strings.Repeat(" ", 10) + "{" + strings.Repeat("x", 65<<20), userdata.IDTooLarge},
		{"100 000 lists in JSON", `{"ignition":` + strings.Repeat("[", 100_000), userdata.IDTooDeep},
		{"100 000 objects in JSON", strings.Repeat(`{"ignition":`, 100_000), userdata.IDTooDeep},
		{"100 000 lists in YAML", "variant: fcos\nversion: 1.5.0\na: " + strings.Repeat("[", 100_000), userdata.IDTooComplex},
		{"1000 lists in YAML", "variant: fcos\nversion: 1.5.0\na: " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000), userdata.IDTooComplex},
		{"a million values in JSON", `{"ignition":[` + strings.Repeat("1,", 1_000_000) + "1]}", userdata.IDTooComplex},
		{"many values in YAML", "variant: fcos\nversion: 1.5.0\na: [" + strings.Repeat("1,", 45_000) + "1]", userdata.IDUnknownKey},
		{"a million values in YAML", "variant: fcos\na: [" + strings.Repeat("1,", 1_000_000) + "1]", userdata.IDTooComplex},
		{"5 MiB of YAML", "variant: fcos\na: " + strings.Repeat("x", 5<<20), userdata.IDTooLarge},
		{"a billion laughs", laughs("1.5.0"), userdata.IDTooComplex},
		{"an anchor in itself", "variant: fcos\na: &a [*a]\n", userdata.IDTooComplex},
		{"one large string a thousand times", "variant: fcos\nversion: 1.5.0\na: &a " + strings.Repeat("x", 1<<20) + "\nstorage:\n  files:\n" + strings.Repeat("    - {path: /a, contents: {inline: *a}}\n", 1000), userdata.IDTooComplex},
		{"a bomb", string(big), userdata.IDPackedBroken},
		{"a bomb in a child", `{"ignition":{"version":"3.4.0","config":{"merge":[{"compression":"gzip","source":"data:;base64,` + inBase64(big) + `"}]}}}`, userdata.IDUnpackedSize},
		{"twenty bombs in files", checkedStorage(`"files":[` + repeated(20, `{"path":"/a#","contents":{"compression":"gzip","source":"data:;base64,`+inBase64(bomb(t, 4<<20))+`"}}`) + `]`), userdata.IDUnpackedSize},
		{"gzip in gzip", string(gzipped(t, string(gzipped(t, string(gzipped(t, string(gzipped(t, string(gzipped(t, "")))))))))), userdata.IDNested},
		{"20 000 links", checkedStorage(`"links":[` + repeated(20_000, `{"path":"/a#","target":"b"}`) + `]`), userdata.IDTooComplex},
		{"20 000 unknown keys", checkedWith("," + repeated(20_000, `"k#":1`)), userdata.IDMoreProblems},
		{"100 000 duplicate keys", checkedWith("," + strings.Repeat(`"k":1,`, 100_000) + `"k":1`), userdata.IDMoreProblems},
		{"200 children", `{"ignition":{"version":"3.4.0","config":{"merge":[` + repeated(200, `{"source":"data:;charset=a#,%7B%22ignition%22:%7B%22version%22:%223.0.0%22%7D%7D"}`) + `]}}}`, userdata.IDTooComplex},
		{"a unit of 2 MiB", checkedWith(`,"systemd":{"units":[{"name":"a.service","contents":"` + strings.Repeat("x", 2<<20) + `"}]}`), userdata.IDTooComplex},
		{"a key of 1 MiB", checkedWith(`,"` + strings.Repeat("ä", 1<<19) + `":1`), userdata.IDUnknownKey},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			r := userdata.Check([]byte(tt.data))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if took > 60*time.Second {
				t.Errorf("took %s", took)
			}
			if grew := after.TotalAlloc - before.TotalAlloc; grew > 2<<30 {
				t.Errorf("%d MiB were taken", grew>>20)
			}
			t.Logf("%s, %d MiB", took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
			found := false
			for _, p := range r.Problems {
				found = found || p.ID == tt.want
			}
			if !found || r.OK() || len(r.Problems) > 1001 {
				t.Errorf("ok %v, %d problems, %v", r.OK(), len(r.Problems), brief(r)[:min(len(r.Problems), 5)])
			}
			if raw, err := json.Marshal(r); err != nil || len(raw) > 2<<20 {
				t.Errorf("%v, %d bytes of report", err, len(raw))
			}
		})
	}
}

// TestCheckTruncated checks that a file is rejected if it is truncated at any byte.
func TestCheckTruncated(t *testing.T) {
	t.Parallel()
	whole := checkedFile(`"path":"/etc/ä\u00e4","mode":420,"contents":{"source":"data:;base64,YQ==","compression":null}`)
	for i := range len(whole) {
		if r := userdata.Check([]byte(whole[:i])); r.OK() {
			t.Fatalf("%q is taken", whole[:i])
		}
	}
}

// TestCheckIsSafeToPrint checks that messages, paths and summaries do not contain terminal control sequences.
func TestCheckIsSafeToPrint(t *testing.T) {
	t.Parallel()
	const evil = `\u001b]0;x\u0007\u202e\n\u009b2J`
	for _, data := range []string{
		checkedWith(`,"` + evil + `":1`), checkedFile(`"path":"` + evil + `"`), checkedKey(evil), checkedWith(`,"systemd":{"units":[{"name":"` + evil + `.service","contents":"[` + evil + `"}]}`),
		`{"ignition":{"version":"` + evil + `"}}`, "variant: \"\\e[2J\"\nversion: 1.0.0\n", "variant: fcos\nversion: 1.5.0\n\"\\e[2J\": 1\n", "{\"ignition\":\x1b",
		checkedWith(`,"kernelArguments":{"shouldExist":["` + evil + `"]}`), `{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"https://h/%1b%5b2J"}]}}}`,
	} {
		r := userdata.Check([]byte(data))
		raw, err := json.Marshal(r.Summary)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for _, p := range r.Problems {
			text += p.String()
		}
		for _, bad := range []string{"\x1b", "\x07", "\u202e", "\u009b", `\u001b`, `\u0007`} {
			if strings.Contains(text, bad) {
				t.Errorf("%q has %q: %s", data, bad, text)
			}
		}
	}
}

// TestCheckLeavesNothingBehind checks that no goroutines leak, because the library would leak one for each invalid
// data URL.
func TestCheckLeavesNothingBehind(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, source := range []string{"data:;base64,%%%", "data:,%zz", `data:text/plain;a=%zz,b`, "data:;base64,YQ"} {
		for _, data := range []string{checkedFile(`"path":"/a","contents":{"source":"` + source + `"}`), "variant: fcos\nversion: 1.5.0\nstorage:\n  files:\n    - path: /a\n      contents:\n        source: '" + source + "'\n", merging(source)} {
			if userdata.Check([]byte(data)).OK() {
				t.Errorf("%s is taken", data)
			}
		}
	}
}

// BenchmarkCheck checks 1 MiB of user data, which consists of 20 base64-encoded files and a few hundred units.
func BenchmarkCheck(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in each run
	content := make([]byte, 32<<10)
	files := make([]string, 20)
	for i := range files {
		for j := range content {
			content[j] = byte(random.IntN(256))
		}
		files[i] = fmt.Sprintf(`{"path":"/etc/f%d","mode":420,"contents":{"source":"data:;base64,%s"}}`, i, inBase64(content))
	}
	unit := `{"name":"u#.service","enabled":true,"contents":"[Unit]\nDescription=Unit number # of many\n[Service]\nExecStart=/usr/bin/true --with=some --arguments=here\n[Install]\nWantedBy=multi-user.target\n"}`
	data := []byte(checkedWith(`,"storage":{"files":[` + strings.Join(files, ",") + `]},"systemd":{"units":[` + repeated(900, unit) + `]}`))
	if len(data) < 1<<20 {
		b.Fatalf("%d bytes only", len(data))
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if r := userdata.Check(data); !r.OK() {
			b.Fatal(brief(r))
		}
	}
}
