package config

import (
	"errors"
	"strings"

	"ironworks/models"
)

// readPassword reads a file that contains a password on one line. If it fails, problem describes the error, including
// the name of the file.
func readPassword(name string) (password models.Secret, problem string, err error) {
	data, _, err := readFile(name)
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case err != nil:
		return "", name + ": " + readProblem(err), err
	case text == "" || strings.ContainsAny(text, "\r\n"):
		return "", name + ": must contain exactly one line, the password", nil
	}
	return models.Secret(text), "", nil
}

// ReadPassword reads a file that contains a password on one line. The error names the file.
func ReadPassword(name string) (models.Secret, error) {
	password, problem, _ := readPassword(name) // the problem includes the error
	if problem != "" {
		return "", errors.New(problem)
	}
	return password, nil
}
