package userdata

import (
	"errors"
	"strings"

	"ironworks/ignition/sshkey"
)

// readLoginKeys parses an entry of sshAuthorizedKeys. Its messages never quote an invalid key, which may be a secret.
func readLoginKeys(text string) (keys []loginKey) {
	if strings.Contains(text, "PRIVATE KEY") {
		return []loginKey{{problem: IDSSHPrivateKey, message: "private key: remove it, create a new pair (this one is exposed), and use the .pub file"}}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if line[0] == '#' {
			keys = append(keys, noKey("a comment, not a key: use the content of a .pub file, such as ssh-ed25519 AAAA…"))
			continue
		}
		keys = append(keys, readLoginKey(line))
		if len(keys) >= maxProblems {
			break
		}
	}
	return keys
}

func readLoginKey(line string) loginKey {
	key, problem := sshkey.ParseLine(line)
	if problem == nil {
		return loginKey{options: len(key.Options) > 0, shown: strings.TrimSpace(key.Type + " " + key.Fingerprint + " " + key.Comment)}
	}
	message := "this is " + problem.Kind.Error()
	if problem.Why != "" {
		message += " (" + problem.Why + ")"
	}
	message += ": " + problem.Hint
	switch {
	case errors.Is(problem, sshkey.ErrPrivate):
		return loginKey{problem: IDSSHPrivateKey, message: message}
	case errors.Is(problem, sshkey.ErrWeak):
		return loginKey{problem: IDSSHKeyWeak, message: message}
	}
	return noKey("%s", message)
}
