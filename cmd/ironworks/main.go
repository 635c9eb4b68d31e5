// Command ironworks is the terminal console for bare metal under OpenStack Ironic.
package main

import (
	"os"

	"ironworks/cmd"
)

func main() { os.Exit(cmd.Main()) }
