package terminal

import (
	"errors"
	"io"

	"github.com/charmbracelet/x/vt"

	"ironworks/cast"
)

// Play shows a recording without its pauses. It calls look after each output, until look returns false or the
// recording ends. The screen has the size that the recording starts with.
func Play(r *cast.Reader, look func(s *Screen) (more bool)) error {
	s := &Screen{emulator: vt.NewEmulator(r.Header.Width, r.Header.Height), changed: make(chan struct{})}
	safe := cast.NewSafe()
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e.Kind != cast.Output {
			continue
		}
		s.mu.Lock()
		s.emulate([]byte(safe.Filter(e.Data)))
		s.mu.Unlock()
		if !look(s) {
			return nil
		}
	}
}
