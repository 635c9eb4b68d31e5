// Package asciinema has the tests of recordings with asciinema's own player, from its Python package.
package asciinema
