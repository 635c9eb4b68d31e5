// Command ironworks-agent is an agent for Ironic in one static program, which replaces the container that runs
// ironic-python-agent. It reads its configuration from the same files and the kernel's command line.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"ironworks/agent/daemon"
)

func main() {
	options := daemon.Options{Getenv: os.Getenv, Log: os.Stderr}
	flag.StringVar(&options.Root, "root", "/", "`folder` where the host's root file system is mounted, if the agent runs in a container")
	repeated(&options.ConfigFiles, "config-file", "configuration `file` of ironic-python-agent; may be repeated")
	repeated(&options.ConfigFolders, "config-dir", "`folder` with configuration files, named *.conf; may be repeated")
	flag.StringVar(&options.Lock, "lock", "", "lock `file` that allows only one agent on a host (default /run/ironworks-agent.lock)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := daemon.Run(ctx, options)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ironworks-agent:", err)
	}
	os.Exit(daemon.ExitCode(err))
}

func repeated(list *[]string, name, usage string) {
	flag.Func(name, usage, func(value string) error {
		*list = append(*list, value)
		return nil
	})
}
