package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/term"
)

// shell is an SSH session on a ramdisk. It is a terminal with a prompt, or it runs commands without one.
type shell struct {
	server  *sshServer
	channel ssh.Channel

	mu            sync.Mutex
	terminal      *term.Terminal // nil without a PTY
	width, height int
}

const shellHelp = `A simulated ramdisk. It knows
  journalctl -o json …   cat ` + bootIDFile + `
  hostname   stty size   echo WORD…   true   false   exit [STATUS]
`

const bootIDFile = "/proc/sys/kernel/random/boot_id"

// request handles an SSH request for a terminal or for a change of its size, and reports whether it knows the request.
func (s *shell) request(r *ssh.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var size struct{ Width, Height, X, Y uint32 }
	switch r.Type {
	case "pty-req":
		var pty struct {
			Term                string
			Width, Height, X, Y uint32
			Modes               string
		}
		if s.terminal != nil || ssh.Unmarshal(r.Payload, &pty) != nil {
			return false
		}
		s.terminal = term.NewTerminal(lineKeys{s.channel}, sshUser+"@"+s.server.host+":~$ ")
		size.Width, size.Height = pty.Width, pty.Height
	case "window-change":
		if s.terminal == nil || ssh.Unmarshal(r.Payload, &size) != nil {
			return false
		}
	default:
		return false
	}
	const most = 1000
	s.width, s.height = int(min(size.Width, most)), int(min(size.Height, most))
	_ = s.terminal.SetSize(max(s.width, 1), max(s.height, 1))
	return true
}

// lineKeys replaces Ctrl-C in the input with Ctrl-U, because package term would treat Ctrl-C as the end of the input.
type lineKeys struct{ ssh.Channel }

// Read implements io.Reader.
func (k lineKeys) Read(p []byte) (int, error) {
	n, err := k.Channel.Read(p)
	for i := range p[:n] {
		if p[i] == '\x03' {
			p[i] = '\x15'
		}
	}
	return n, err
}

// errExit reports that the client entered the exit command.
var errExit = errors.New("exit")

// run reads and runs commands until the exit command or the end of the input, and returns the last exit status.
func (s *shell) run(ctx context.Context) (status uint32, err error) {
	s.mu.Lock()
	terminal := s.terminal
	s.mu.Unlock()
	read, out, complaints := s.lines(), io.Writer(s.channel), io.Writer(s.channel.Stderr())
	if terminal != nil {
		read, out, complaints = terminal.ReadLine, terminal, terminal
		_, _ = fmt.Fprintf(terminal, "Simulated ramdisk of %s; help lists the commands\n", s.server.host)
	}
	for {
		line, err := read()
		if err != nil {
			return status, ctx.Err()
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		status, err = s.command(ctx, line, out, complaints)
		switch {
		case errors.Is(err, errExit):
			return status, nil
		case err != nil:
			return 0, err
		}
	}
}

// lines returns a function that reads the next line of a session without a terminal.
func (s *shell) lines() func() (string, error) {
	input := bufio.NewScanner(s.channel)
	return func() (string, error) {
		if !input.Scan() {
			return "", io.EOF
		}
		return input.Text(), nil
	}
}

// command runs a command and returns its exit status. The error is errExit for exit, or that of a lost connection.
func (s *shell) command(ctx context.Context, command string, out, complaints io.Writer) (status uint32, err error) {
	fail := func(status uint32, text string) (uint32, error) {
		_, err := io.WriteString(complaints, text+"\n")
		return status, err
	}
	words, err := shellWords(command)
	if err != nil || len(words) == 0 {
		words = []string{command}
	}
	switch words[0] {
	case "exit":
		if len(words) > 1 {
			n, err := strconv.ParseUint(words[1], 10, 8)
			if err != nil {
				return fail(2, "exit: "+words[1]+": numeric argument required")
			}
			status = uint32(n)
		}
		return status, errExit
	case "help":
		_, err = io.WriteString(out, shellHelp)
	case "hostname":
		_, err = io.WriteString(out, s.server.host+"\n")
	case "echo":
		_, err = io.WriteString(out, strings.Join(words[1:], " ")+"\n")
	case "true":
	case "false":
		status = 1
	case "stty":
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.terminal == nil {
			return fail(1, "stty: 'standard input': Inappropriate ioctl for device")
		}
		_, err = fmt.Fprintf(out, "%d %d\n", s.height, s.width)
	case "cat":
		if len(words) != 2 || words[1] != bootIDFile {
			return fail(127, "cat: command not found")
		}
		_, err = io.WriteString(out, s.server.journal.bootID()+"\n")
	default:
		c, err := parseJournalctl(command)
		switch {
		case errors.Is(err, errProgram):
			program, _, _ := strings.Cut(command, " ")
			return fail(127, program+": command not found")
		case err != nil:
			return fail(1, err.Error())
		}
		return 0, c.run(ctx, s.server.journal, out)
	}
	return status, err
}
