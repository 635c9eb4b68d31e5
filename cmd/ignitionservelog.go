package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"ironworks/ignition/serve"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/ui/screen"
)

// logRoom is how many events may wait to be printed. More come only from those who try
// addresses out, or while nobody reads our output.
const logRoom = 10_000

// accessLog prints who fetches what. Events come from many goroutines, and one prints
// them.
type accessLog struct {
	app    *app
	mu     sync.Mutex
	events []serve.Event
	lost   int
	wake   chan struct{}
	// told is how far a fetch was when a line told of it.
	told map[fetchKey]int
}

type fetchKey struct {
	item   serve.Served
	remote string
}

func newAccessLog(a *app) *accessLog {
	return &accessLog{app: a, wake: make(chan struct{}, 1), told: map[fetchKey]int{}}
}

// note takes an event and never blocks.
func (l *accessLog) note(e serve.Event) {
	l.mu.Lock()
	if len(l.events) < logRoom {
		l.events = append(l.events, e)
	} else {
		l.lost++
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *accessLog) take() (events []serve.Event, lost int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	events, lost = l.events, l.lost
	l.events, l.lost = nil, 0
	return events, lost
}

// print prints until the server has ended. When nobody reads the output any more, it
// ends the server.
func (l *accessLog) print(served <-chan error, stop func()) error {
	for {
		var ended bool
		var result error
		select {
		case <-l.wake:
		case result = <-served:
			ended = true
		}
		events, lost := l.take()
		if lost > 0 {
			l.app.complain("%d events were left out", lost)
		}
		for _, e := range events {
			if err := l.write(e); err != nil {
				stop()
				if !ended {
					result = <-served
				}
				return errors.Join(err, result)
			}
		}
		if ended {
			return result
		}
	}
}

// eventJSON is an event of serve -o json.
type eventJSON struct {
	Time    time.Time       `json:"time"`
	Kind    serve.EventKind `json:"kind"`
	Node    string          `json:"node,omitempty"`
	Item    string          `json:"item,omitempty"`
	Type    serve.Kind      `json:"type,omitempty"`
	Who     string          `json:"who,omitempty"`
	Remote  string          `json:"remote,omitempty"`
	Agent   string          `json:"agent,omitempty"`
	Size    int64           `json:"size,omitempty"`
	Sent    int64           `json:"sent,omitempty"`
	Covered int64           `json:"covered,omitempty"`
	Percent int             `json:"percent,omitempty"`
	Rate    float64         `json:"rate,omitempty"`
	Seconds float64         `json:"seconds,omitempty"`
	Text    string          `json:"text,omitempty"`
	Count   int             `json:"count,omitempty"`
}

func (l *accessLog) write(e serve.Event) error {
	f := e.Fetch
	remote := ""
	if f.Remote.IsValid() {
		remote = f.Remote.String()
	}
	if l.app.output == outputJSON {
		return writeLine(l.app.stdout, eventJSON{
			Time: e.Time.UTC(), Kind: e.Kind, Node: f.Item.Node, Item: f.Item.Name, Type: f.Item.Kind, Who: f.Who, Remote: remote,
			Agent: f.Agent, Size: f.Size, Sent: f.Sent, Covered: f.Covered, Percent: f.Percent(), Rate: f.Rate,
			Seconds: f.Elapsed().Seconds(), Text: e.Text, Count: e.Count,
		})
	}
	text := l.text(e, fetchKey{item: f.Item, remote: remote})
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintf(l.app.stdout, "%s %s\n", e.Time.Format("15:04:05"), models.Printable(text))
	return err
}

// progressStep is how many percent a line of progress is worth.
const progressStep = 10

// text is the line for an event, empty for one that is not worth a line.
func (l *accessLog) text(e serve.Event, key fetchKey) string {
	switch e.Kind {
	case serve.EventRefused:
		return fmt.Sprintf("%s asked for what is not served%s", key.remote, times(e.Count))
	case serve.EventFailed:
		return "failed" + times(e.Count) + ": " + e.Text
	case serve.EventBegan:
		if _, known := l.told[key]; known {
			return "" // one of the many reads of an image as a drive
		}
		l.told[key] = 0
		return fmt.Sprintf("%s begins to fetch %s (%s)", orAddress(e.Fetch.Who, key.remote), e.Fetch.Item.Name, userdata.SizeText(e.Fetch.Size))
	case serve.EventProgress, serve.EventEnded:
		percent := e.Fetch.Percent()
		if percent < l.told[key]+progressStep {
			return ""
		}
		l.told[key] = percent - percent%progressStep
	case serve.EventAsked, serve.EventDone, serve.EventAborted:
	}
	return e.Fetch.String()
}

func orAddress(who, remote string) string {
	if who == "" {
		return remote
	}
	return who
}

func times(count int) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", count)
}

// writeLine writes one object on one line.
func writeLine(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(harmlessJSON(data), '\n'))
	return err
}

// servedJSON is the first line of serve -o json.
type servedJSON struct {
	Time        time.Time    `json:"time"`
	Kind        string       `json:"kind"`
	Listen      string       `json:"listen"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	Certificate string       `json:"certificate,omitempty"`
	Targets     []targetJSON `json:"targets"`
}

type targetJSON struct {
	Node   string `json:"node,omitempty"`
	UUID   string `json:"uuid,omitempty"`
	ISO    string `json:"deploy_iso,omitempty"`
	Kernel string `json:"deploy_kernel,omitempty"`
	Initrd string `json:"deploy_ramdisk,omitempty"`
	Params string `json:"kernel_append_params,omitempty"`
}

// printServing prints the addresses as they go into driver_info.
func (a *app) printServing(server *serve.Server, targets []screen.ServedTarget) error {
	listed := make([]targetJSON, len(targets))
	var b strings.Builder
	fmt.Fprintf(&b, "listening on %s\n", server.Addr())
	if fingerprint := server.Fingerprint(); fingerprint != "" {
		fmt.Fprintf(&b, "certificate  SHA-256 %s\n", fingerprint)
	}
	for i, t := range targets {
		r := t.Ramdisk
		listed[i] = targetJSON{Node: t.Label, UUID: t.UUID, ISO: r.ISO, Kernel: r.Kernel, Initrd: r.Initramfs, Params: r.KernelParams}
		label := t.Label
		if label == "" {
			label = "for all nodes"
		}
		b.WriteString("\n" + models.Printable(label) + "\n")
		for _, line := range [][2]string{
			{"deploy_iso", r.ISO}, {"deploy_kernel", r.Kernel}, {"deploy_ramdisk", r.Initramfs}, {"kernel_append_params", r.KernelParams},
		} {
			if line[1] != "" {
				fmt.Fprintf(&b, "  %-21s %s\n", line[0], line[1])
			}
		}
	}
	if a.output == outputJSON {
		return writeLine(a.stdout, servedJSON{
			Time: clock{}.Now().UTC(), Kind: "serving", Listen: server.Addr().String(),
			Fingerprint: server.Fingerprint(), Certificate: string(server.Certificate()), Targets: listed,
		})
	}
	b.WriteString("\n")
	_, err := io.WriteString(a.stdout, b.String())
	return err
}
