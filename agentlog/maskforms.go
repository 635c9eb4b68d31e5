package agentlog

import "strings"

// findDumps masks Ignition configurations and base64 data URLs, which agents print in full.
func (m *masker) findDumps(text, lower string, from int) {
	forEach(lower, "will use ignition ", from, func(at int) int {
		return m.startRegion(text, at+len("will use ignition "), region{Kind: regionDump, Lines: manyLines})
	})
	forEach(lower, ";base64,", from, func(at int) int {
		at += len(";base64,")
		end := at
		for end < len(text) && (!notBase64(rune(text[end])) || text[end] == '%') {
			end++
		}
		m.hide(at, end)
		return end
	})
}

// findPrivateKey masks private keys in PEM format, in several lines or in one line with escaped line breaks.
func (m *masker) findPrivateKey(text string, from int) {
	forEach(text, "-----BEGIN ", from, func(at int) int {
		title, _, found := strings.Cut(text[at+len("-----BEGIN "):], "-----")
		if found && !strings.Contains(title, "PRIVATE KEY") {
			return at
		}
		if !found && !strings.Contains(title, "PRIVATE") {
			return at
		}
		return m.startRegion(text, at, region{Kind: regionKey, Lines: 400})
	})
}

// findAddresses masks passwords in URLs. It also masks user names in URLs if they are probably tokens.
func (m *masker) findAddresses(text, lower string, from int) {
	forEach(text, "://", from, func(at int) int {
		at += len("://")
		end := at
		for end < len(text) && strings.IndexByte("/?# \t\"'<>", text[end]) < 0 {
			end++
		}
		// A password may contain a slash, although a slash is invalid in that part of a URL.
		for next := end; next < len(text) && strings.IndexByte("? \t\"'<>", text[next]) < 0; next++ {
			if text[next] == '@' && strings.IndexByte(text[at:end], ':') >= 0 && !portAtEnd(text[at:end]) {
				end = next + 1
			}
		}
		host := strings.LastIndexByte(text[at:end], '@')
		if host < 0 {
			return at
		}
		user, _, both := strings.Cut(text[at:at+host], ":")
		switch {
		case both:
			m.hide(at+len(user)+1, at+host)
		case len(user) >= 16 && strings.Contains(lower[max(0, at-8):at], "http"):
			m.hide(at, at+host)
		}
		return at + host
	})
}

// portAtEnd reports whether authority ends with a port. If so, an @ that follows later belongs to the path.
func portAtEnd(authority string) bool {
	i := strings.LastIndexByte(authority, ':')
	return i >= 0 && i+1 < len(authority) && strings.Trim(authority[i+1:], "0123456789") == ""
}

// secretBeginnings lists prefixes of signed tokens, password hashes, and OpenShift, Keystone and cloud tokens.
var secretBeginnings = []string{"eyJ", "$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "sha256~", "gAAAAA", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "AKIA", "ASIA"}

// findWords masks words that look like secrets, whatever precedes them. It also masks the passwords in some commands.
func (m *masker) findWords(text, lower string, from int) {
	for _, scheme := range []string{"bearer", "basic"} {
		forEach(lower, scheme, from, func(at int) int {
			word := skip(text, at+len(scheme), " \t:")
			end := endOfWord(text, word)
			if word > at+len(scheme) && end-word >= 8 && (scheme == "bearer" || basicCredentials(text[word:end])) {
				m.hide(word, end)
			}
			return end
		})
	}
	for _, begin := range secretBeginnings {
		forEach(text, begin, from, func(at int) int {
			end := endOfWord(text, at)
			if end-at >= 20 && (at == 0 || !wordByte(text[at-1]) || text[at-1] == '=') {
				m.hide(at, end)
			}
			return end
		})
	}
	m.hideOption(text, lower, from, "ipmitool", "-P")
	m.hideOption(text, lower, from, "sshpass", "-p")
	m.findChpasswd(text, lower, from)
	forEach(lower, "curl ", from, func(at int) int {
		for _, option := range []string{" -u ", " -u", " --user ", " --user="} {
			forEach(text, option, at, func(p int) int {
				p += len(option)
				end := endOfArgument(text, p)
				if _, pass, ok := strings.Cut(text[p:end], ":"); ok {
					m.hide(end-len(pass), end)
				}
				return end
			})
		}
		return len(text)
	})
}

// hideOption masks the argument of a program's option, with or without space, in a command or Python list.
func (m *masker) hideOption(text, lower string, from int, program, option string) {
	forEach(lower, program, from, func(at int) int {
		for _, before := range []string{" " + option, "'" + option + "', ", `"` + option + `", `} {
			forEach(text, before, at, func(p int) int {
				p = skip(text, p+len(before), " ")
				end := endOfArgument(text, p)
				m.hide(p, end)
				return end
			})
		}
		return len(text)
	})
}

// findChpasswd masks the input of chpasswd, which has the form USER:PASSWORD and comes from a pipe or a here string.
func (m *masker) findChpasswd(text, lower string, from int) {
	forEach(lower, "chpasswd", from, func(at int) int {
		end := at + len("chpasswd")
		command := strings.TrimRight(text[from:at], " \t")
		command = strings.TrimSuffix(strings.TrimRight(strings.TrimSuffix(command, "sudo"), " \t"), "|")
		start := strings.LastIndexAny(command, ";&|(") + 1
		if colon := strings.IndexByte(command[start:], ':'); colon >= 0 {
			m.hide(from+start+colon+1, from+len(strings.TrimRight(command, " \t\"'")))
		}
		if here := strings.Index(text[end:], "<<<"); here >= 0 {
			if colon := strings.IndexByte(text[end+here:], ':'); colon >= 0 {
				p := end + here + colon + 1
				m.hide(p, p+len(strings.TrimRight(text[p:], " \t\"'")))
			}
		}
		return end
	})
}

// basicCredentials reports whether a word after "Basic" is probably a header's value, not part of a sentence.
func basicCredentials(word string) bool {
	if strings.ContainsFunc(word, notBase64) {
		return false
	}
	return strings.HasSuffix(word, "=") || strings.ContainsAny(word, "0123456789") || len(word)%4 == 0 && strings.ToLower(word) != word
}

func endOfArgument(text string, at int) int {
	if at < len(text) && (text[at] == '"' || text[at] == '\'') {
		if end := closingQuote(text[at+1:], text[at:at+1]); end >= 0 {
			return at + 1 + end
		}
		return len(text)
	}
	if i := strings.IndexAny(text[at:], " \t"); i >= 0 {
		return at + i
	}
	return len(text)
}

func endOfWord(text string, at int) int {
	for at < len(text) && wordByte(text[at]) {
		at++
	}
	return at
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.$/+=~", c) >= 0
}
