// Package asciinema tests recordings with asciinema's own player, taken from its Python package.
package asciinema
