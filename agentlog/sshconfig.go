package agentlog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"ironworks/printable"
)

// noneWord is the value in ssh_config that disables an option.
const noneWord = "none"

// hop is a jump host or the destination, with the settings for logging in to it.
type hop struct {
	alias      string // the requested name, before ssh_config replaces it
	host       string
	port       int
	user       string
	keys       []string
	knownHosts []string
	strict     strictness
}

type strictness string

const (
	strictYes       strictness = "yes"
	strictNo        strictness = "no"
	strictAcceptNew strictness = "accept-new"
	strictAsk       strictness = "ask" // the default
)

func (h *hop) address() string { return net.JoinHostPort(h.host, strconv.Itoa(h.port)) }

func (h *hop) name() string {
	name := h.user + "@" + h.host
	if h.port != 22 {
		name += ":" + strconv.Itoa(h.port)
	}
	return printable.Line(name)
}

// hop returns the settings that ssh would use for alias. A given login or port takes precedence over ssh_config.
func (f *sshFiles) hop(alias, login string, port int) (hop, error) {
	h := hop{alias: alias, host: alias, user: login, port: port, strict: strictness(strings.ToLower(f.get(alias, "StrictHostKeyChecking")))}
	switch h.strict {
	case strictYes, strictNo, strictAcceptNew, strictAsk:
	case "off":
		h.strict = strictNo
	default:
		h.strict = strictAsk
	}
	if name := f.get(alias, "HostName"); name != "" {
		h.host = strings.NewReplacer("%%", "%", "%h", alias).Replace(name)
	}
	h.user = cmp.Or(login, f.get(alias, "User"))
	if text := f.get(alias, "Port"); h.port == 0 && text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 65535 {
			return h, fmt.Errorf("ssh_config: invalid port for %s: %q", printable.Line(alias), printable.Line(text))
		}
		h.port = n
	}
	h.port = cmp.Or(h.port, 22)
	for _, key := range f.all(alias, "IdentityFile") {
		if key != noneWord {
			h.keys = append(h.keys, f.path(key, &h))
		}
	}
	if v := f.get(alias, "UserKnownHostsFile"); v != noneWord {
		for _, path := range strings.Fields(cmp.Or(v, "~/.ssh/known_hosts ~/.ssh/known_hosts2")) {
			h.knownHosts = append(h.knownHosts, f.path(path, &h))
		}
	}
	h.knownHosts = append(h.knownHosts, "/etc/ssh/ssh_known_hosts")
	return h, nil
}

func (f *sshFiles) path(path string, h *hop) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(f.home, rest)
	}
	local := ""
	if strings.Contains(path, "%u") {
		if u, err := user.Current(); err == nil {
			local = u.Username
		}
	}
	return strings.NewReplacer("%%", "%", "%d", f.home, "%h", h.host, "%n", h.alias, "%r", h.user, "%u", local, "%p", strconv.Itoa(h.port)).Replace(path)
}

// maxHops is the maximum number of hosts on a route, including the destination.
const maxHops = 8

// route returns the hops through which a host is reached; the last one is the host itself.
func (f *sshFiles) route(o *SSHOptions, host string) ([]hop, error) {
	last, err := f.hop(host, o.User, o.Port)
	if err != nil {
		return nil, err
	}
	last.user = cmp.Or(last.user, "core")
	jump := cmp.Or(o.Jump, f.get(host, "ProxyJump"))
	var hops []hop
	if jump != "" && jump != noneWord {
		for one := range strings.SplitSeq(jump, ",") {
			h, err := f.jump(strings.TrimSpace(one))
			if err != nil {
				return nil, err
			}
			hops = append(hops, h)
		}
	} else if command := f.get(host, "ProxyCommand"); jump == "" && command != "" && command != noneWord {
		return nil, fmt.Errorf("ssh_config: ProxyCommand of %s is not supported: use ProxyJump, or set logs.ssh.jump in the context", printable.Line(host))
	}
	if len(hops) >= maxHops {
		return nil, fmt.Errorf("more than %d jump hosts", maxHops-1)
	}
	return append(hops, last), nil
}

// jump parses one jump host: [user@]host[:port], or ssh://….
func (f *sshFiles) jump(text string) (hop, error) {
	login, host, port, err := splitHost(text)
	if err != nil {
		return hop{}, fmt.Errorf("jump host: %w", err)
	}
	h, err := f.hop(host, login, port)
	if err != nil {
		return hop{}, err
	}
	if h.user == "" {
		u, err := user.Current()
		if err != nil {
			return hop{}, fmt.Errorf("jump host %s needs a user: %w", printable.Line(host), err)
		}
		h.user = u.Username
	}
	return h, nil
}

// splitHost parses [ssh://][user@]host[:port].
func splitHost(text string) (login, host string, port int, err error) {
	rest := strings.TrimSuffix(strings.TrimPrefix(text, "ssh://"), "/")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		login, rest = rest[:i], rest[i+1:]
	}
	if strings.Contains(login, ":") {
		return "", "", 0, errors.New("SSH addresses cannot contain a password; log in with a key")
	}
	host = rest
	if h, p, splitErr := net.SplitHostPort(rest); splitErr == nil {
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return "", "", 0, fmt.Errorf("%q has an invalid port", printable.Line(text))
		}
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if host == "" || strings.ContainsAny(host, " \t/\"'") || strings.HasPrefix(host, "-") {
		return "", "", 0, fmt.Errorf("%q is not [user@]host[:port]", printable.Line(text))
	}
	return login, host, port, nil
}

func readSome(path string, most int64) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the user names these files
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return data, nil
}
