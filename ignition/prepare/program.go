package prepare

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"ironworks/ignition"
	"ironworks/ignition/serve"
	"ironworks/models"
)

// programName is the file name of the builtin agent's program. "make agent" appends the architecture.
const programName = "ironworks-agent"

// previewURL is a placeholder for the URL of the program in previews, because only the server knows the real URL.
const previewURL = "http://127.0.0.1/" + programName

// PublishAgent adds the program of the builtin agent to the server, and sets its URL in the inputs. It does nothing
// if the inputs do not need a server. The possible errors include those of [Maker.Build].
func (m Maker) PublishAgent(server *serve.Server, host string, in *Inputs) error {
	if in.Agent != string(ignition.AgentBuiltin) || in.AgentURL != "" || in.AgentEmbed {
		return nil
	}
	content, err := m.agentProgram(*in)
	if err != nil {
		return err
	}
	path, err := server.Add(serve.Item{
		Name: programName, Kind: serve.Agent, Modified: time.Now(),
		Open: func(context.Context) (io.ReadSeekCloser, error) { return nopCloser{bytes.NewReader(content)}, nil },
	})
	if err != nil {
		return err
	}
	in.program, in.AgentURL, in.agentCA = content, server.URL(host, path), string(server.Certificate())
	return nil
}

// program returns the program of the builtin agent. For other agents, it rejects inputs of the builtin agent.
func (r *reading) program() ignition.AgentProgram {
	in := r.in
	if in.Agent != string(ignition.AgentBuiltin) {
		foreign := func(field ignition.RamdiskField, given bool) {
			if given {
				r.refuse(field, "", "applies only to the builtin agent", "", nil)
			}
		}
		foreign(ignition.FieldAgentURL, in.AgentURL != "")
		foreign(ignition.FieldAgentBinary, in.AgentBinary != "")
		foreign(ignition.FieldAgentEmbed, in.AgentEmbed)
		return ignition.AgentProgram{}
	}
	p := ignition.AgentProgram{Content: in.program, URL: in.AgentURL, CA: in.agentCA}
	switch {
	case in.AgentEmbed && in.AgentURL != "":
		r.refuse(ignition.FieldAgentEmbed, "", "and the agent's URL cannot be combined", "", nil)
	case !in.AgentEmbed && in.AgentURL == "" && r.maker.Preview:
		p.URL = previewURL
	case !in.AgentEmbed && in.AgentURL == "":
		r.problems = append(r.problems, &ignition.InputError{
			Field: ignition.FieldAgentURL, Why: "is missing", Hint: "use --agent-url URL, --agent-embed or ignition serve",
			ScreenHint: "enter a URL, include the agent, or serve the image",
		})
	}
	if len(p.Content) > 0 {
		return p
	}
	content, err := r.maker.agentProgram(in)
	if err != nil {
		r.problems = append(r.problems, err)
		content = []byte(programName) // avoids a second error in Build for the same cause
	}
	p.Content = content
	return p
}

// agentProgram reads the ironworks-agent program and checks that it matches the architecture of the machines.
func (m Maker) agentProgram(in Inputs) ([]byte, error) {
	refuse := func(path, why, hint string, cause error) error {
		return &ignition.InputError{Field: ignition.FieldAgentBinary, Value: path, Why: why, Hint: hint, Cause: cause}
	}
	arch := architecture(in.AgentArch)
	path := cmp.Or(in.AgentBinary, m.besideProgram(arch))
	if path == "" {
		return nil, refuse("", "is not beside ironworks", "build it with make agent, or use --agent-binary FILE", nil)
	}
	text, err := m.read(path)
	if err != nil {
		return nil, refuse(path, "cannot be read", "", err)
	}
	machine, err := staticProgram([]byte(text))
	if err != nil {
		return nil, refuse(path, "is not a static Linux program", "build it with: make agent", err)
	}
	if in.AgentArch != "" && machine != arch {
		return nil, refuse(path, fmt.Sprintf("is for %s, but the nodes are %s", machine, arch), "", nil)
	}
	return []byte(text), nil
}

// besideProgram returns the path of ironworks-agent in the folder of this program, or "" if there is none.
func (m Maker) besideProgram(arch string) string {
	if m.Programs == "" {
		return ""
	}
	for _, name := range []string{programName + "-" + arch, programName} {
		path := filepath.Join(m.Programs, name)
		if file, err := m.Open(path); err == nil {
			_ = file.Close() // nothing was written, so errors do not matter
			return path
		}
	}
	return ""
}

// Architecture returns the cpu_arch that all nodes have in common. It returns "" if they differ.
func Architecture(nodes []models.Node) string {
	arch := ""
	for i := range nodes {
		text, _ := nodes[i].Properties["cpu_arch"].(string)
		if i > 0 && text != arch {
			return ""
		}
		arch = text
	}
	return arch
}

// architecture converts Ironic's name for an architecture to Go's. The default is amd64, the most common one.
func architecture(name string) string {
	switch name {
	case "", "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return name
}

// staticProgram returns the architecture of a static Linux program. It rejects dynamically linked programs, because
// the live system may lack their libraries.
func staticProgram(content []byte) (string, error) {
	file, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			return "", errors.New("it needs shared libraries")
		}
	}
	if arch, known := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[file.Machine]; known {
		return arch, nil
	}
	return "", fmt.Errorf("it is for %s", file.Machine)
}
