package config

import (
	"errors"
	"strings"

	"ironworks/models"
)

// readPassword reads a file that holds a password in one line; problem says what is wrong
// with it, and names it.
func readPassword(name string) (password models.Secret, problem string, err error) {
	data, _, err := readFile(name)
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case err != nil:
		return "", name + ": " + readProblem(err), err
	case text == "" || strings.ContainsAny(text, "\r\n"):
		return "", name + ": must hold one line, the password", nil
	}
	return models.Secret(text), "", nil
}

// ReadPassword reads a file that holds a password in one line; the error names the file.
func ReadPassword(name string) (models.Secret, error) {
	password, problem, _ := readPassword(name) // the problem says all
	if problem != "" {
		return "", errors.New(problem)
	}
	return password, nil
}
