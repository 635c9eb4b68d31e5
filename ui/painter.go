package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// painter draws the console as soon as its view changes. It uses the same library as Bubble Tea's renderer. That
// renderer looks for a new view in every frame, so that each key would have to wait for the next frame, and 50 idle
// consoles on a server would cost 3000 wake-ups per second. A client that stops reading blocks only its own painter,
// which then skips the views in between.
type painter struct {
	out   io.Writer
	frame time.Duration
	// wake reports a new view. hurry reports, in addition, that a key caused it.
	wake, hurry chan struct{}

	mu   sync.Mutex
	view tea.View
	// key means that a key has been pressed since the last view.
	key bool
	// width and height are the size of the terminal in cells. redraw means that everything has to be drawn again.
	width, height int
	redraw        bool
	profile       colorprofile.Profile
	// sync means that the terminal has reported synchronized output (mode 2026) as supported. graphemes means that
	// the terminal has reported character widths by grapheme (mode 2027) as supported.
	sync, graphemes bool

	// drawing guards the fields below. It is held while another program uses the terminal.
	drawing sync.Mutex
	buf     bytes.Buffer
	scr     *uv.TerminalRenderer
	cells   uv.ScreenBuffer
	drawn   tea.View
	// clusters means that widths by grapheme have been switched on in the terminal.
	clusters bool
	lines    []string // the lines of drawn
}

func newPainter(term *Terminal) *painter {
	p := &painter{
		out: term.Out, frame: time.Second / time.Duration(term.FPS),
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
		width: term.Width, height: term.Height, redraw: true, profile: term.profile,
	}
	p.scr = uv.NewTerminalRenderer(&p.buf, term.Env)
	p.scr.SetTabStops(-1)
	p.scr.SetMapNewline(!term.raw) // without a real PTY, the terminal of an SSH session adds carriage returns
	p.scr.SetScrollOptim(true)
	return p
}

// show makes v the view to draw next. It does not block.
func (p *painter) show(v tea.View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := p.key
	p.key = false
	if p.view.Content == v.Content && p.view.MouseMode == v.MouseMode && p.view.WindowTitle == v.WindowTitle && !p.redraw {
		return
	}
	p.view = v
	ring(p.wake)
	if key {
		ring(p.hurry)
	}
}

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// listen notes key presses, and handles the messages about the terminal's size, color profile and features.
func (p *painter) listen(msg tea.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height, p.redraw = msg.Width, msg.Height, true
	case tea.KeyPressMsg:
		p.key = true
	case tea.ColorProfileMsg:
		p.profile, p.redraw = msg.Profile, true
	case tea.ModeReportMsg:
		switch msg.Mode {
		case ansi.ModeSynchronizedOutput:
			p.sync = msg.Value == ansi.ModeReset
		case ansi.ModeUnicodeCore:
			p.graphemes = msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet
			p.redraw = true
		}
	}
}

// erase makes the painter draw everything again. It is called after other output has overwritten the screen.
func (p *painter) erase() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.redraw = true
	ring(p.wake)
}

func (p *painter) run(ctx context.Context) {
	_ = p.exclusively(p.begin)
	defer func() { _ = p.exclusively(p.leave) }()
	hurried := false
	var end time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		if p.exclusively(p.draw) != nil {
			return // the client has disconnected
		}
		// Changes in quick succession share a frame. The first key in a frame does not wait for its end; the next frame
		// begins later instead.
		hurry := p.hurry
		if hurried {
			hurry, end = nil, end.Add(p.frame)
		} else {
			end = time.Now().Add(p.frame)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(end)):
			hurried = false
		case <-hurry:
			hurried = true
		}
	}
}

// exclusively waits until no other program uses the terminal, and then calls write, which writes to the terminal.
func (p *painter) exclusively(write func() error) error {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	return write()
}

// handOver restores the terminal for another program. When that program has ended, the caller must call back, which
// takes over the terminal again.
func (p *painter) handOver() (back func()) {
	p.drawing.Lock()
	_ = p.leave()
	return func() {
		p.drawn = tea.View{} // so that the title and the mouse mode are set again
		_ = p.begin()
		p.drawing.Unlock()
		p.erase()
	}
}

// begin sets the terminal's modes, and asks whether it supports synchronized output (2026) and widths by grapheme
// (2027).
func (p *painter) begin() error {
	p.scr.SaveCursor()
	p.scr.Erase()
	p.scr.SetFullscreen(true)
	p.scr.SetRelativeCursor(false)
	_, err := io.WriteString(p.out, ansi.SetModeAltScreenSaveCursor+ansi.ResetModeTextCursorEnable+ansi.SetModeBracketedPaste+
		ansi.SetModifyOtherKeys2+ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes)+ansi.RequestKittyKeyboard+
		ansi.RequestModeSynchronizedOutput+ansi.RequestModeUnicodeCore)
	return err
}

func (p *painter) draw() error {
	p.mu.Lock()
	v, w, h, redraw, synced := p.view, p.width, p.height, p.redraw, p.sync
	p.redraw = false
	select {
	case <-p.hurry: // this view includes what the key has changed
	default:
	}
	graphemes := p.graphemes
	p.scr.SetColorProfile(p.profile)
	p.mu.Unlock()
	if redraw {
		if p.cells.RenderBuffer == nil {
			p.cells = uv.NewScreenBuffer(w, h)
		} else {
			p.cells.Resize(w, h)
			p.cells.Touched = nil
		}
		p.scr.Resize(w, h)
		p.scr.Erase()
	}
	var out bytes.Buffer
	if graphemes && !p.clusters {
		p.clusters, p.cells.Method = true, ansi.GraphemeWidth
		p.scr.SetWidthMethod(ansi.GraphemeWidth)
		out.WriteString(ansi.SetModeUnicodeCore)
	}
	p.drawLines(v.Content, w, h, redraw)
	p.scr.Render(p.cells.RenderBuffer)
	if err := p.scr.Flush(); err != nil {
		return err
	}
	if v.WindowTitle != p.drawn.WindowTitle {
		out.WriteString(ansi.SetWindowTitle(v.WindowTitle))
	}
	if v.MouseMode != p.drawn.MouseMode {
		out.WriteString(mouse(v.MouseMode))
	}
	switch {
	case p.buf.Len() == 0:
	case synced:
		out.WriteString(ansi.SetModeSynchronizedOutput)
		out.Write(p.buf.Bytes())
		out.WriteString(ansi.ResetModeSynchronizedOutput)
	default:
		out.Write(p.buf.Bytes())
	}
	p.buf.Reset()
	p.drawn = v
	if out.Len() == 0 {
		return nil
	}
	_, err := p.out.Write(out.Bytes())
	return err
}

// drawLines draws the lines that have changed, or all lines if all is set. It can draw single lines because each line
// of the view sets its own styles. Nevertheless, it marks every line as touched, because the renderer discards
// untouched lines when it scrolls or clears the end of the screen.
func (p *painter) drawLines(content string, w, h int, all bool) {
	lines := make([]string, h)
	copy(lines, strings.SplitN(content, "\n", h+1))
	for y, line := range lines {
		if all || line != p.lines[y] {
			uv.NewStyledString(line).Draw(p.cells, uv.Rect(0, y, w, 1))
		}
		p.cells.TouchLine(0, y, w)
	}
	p.lines = lines
}

func mouse(mode tea.MouseMode) string {
	if mode == tea.MouseModeNone {
		return ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr
	}
	return ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
}

func (p *painter) leave() error {
	text := ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetModeBracketedPaste + ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable
	if p.drawn.MouseMode != tea.MouseModeNone {
		text = mouse(tea.MouseModeNone) + text
	}
	if p.drawn.WindowTitle != "" {
		text += ansi.SetWindowTitle("")
	}
	if p.clusters {
		text += ansi.ResetModeUnicodeCore
		p.clusters = false
	}
	_, err := io.WriteString(p.out, text)
	return err
}

// lockedWriter serializes writes of the painter, Bubble Tea and the console to the terminal.
type lockedWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(b)
}
