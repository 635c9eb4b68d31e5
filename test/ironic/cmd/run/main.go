// Command run starts a real Ironic to try the console against, prints how to
// connect to it, and stops it on Ctrl-C.
//
//	go run ./test/ironic/cmd/run [-release newest|old] [-auth none|http_basic|keystone] [-tls] [-as-shipped] [-nodes N]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"ironworks/test/ironic"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	release := flags.String("release", "newest", "newest or old")
	auth := flags.String("auth", "none", "none, http_basic or keystone")
	useTLS := flags.Bool("tls", false, "serve the API with TLS")
	asShipped := flags.Bool("as-shipped", false, "enable the interfaces that the release enables by default")
	nodes := flags.Int("nodes", 0, "number of fake nodes to enroll")
	if err := flags.Parse(args); err != nil {
		return err
	}
	options := ironic.Options{TLS: *useTLS, AsShipped: *asShipped}
	switch *release {
	case "newest":
		options.Release = ironic.Newest
	case "old":
		options.Release = ironic.Old
	default:
		return fmt.Errorf("-release %q: want newest or old", *release)
	}
	fmt.Println("Starting Ironic", options.Release.Version(), "… (the first start installs Python packages, about a minute)")
	switch *auth {
	case "none":
	case "http_basic":
		options.Auth = ironic.HTTPBasic()
	case "keystone":
		keystone, err := ironic.StartKeystone(ctx, ironic.KeystoneOptions{})
		if err != nil {
			return err
		}
		defer remove(keystone.Dir)
		defer keystone.Stop()
		options.Auth = keystone
	default:
		return fmt.Errorf("-auth %q: want none, http_basic or keystone", *auth)
	}
	s, err := ironic.Start(ctx, options)
	if err != nil {
		return err
	}
	defer remove(s.Dir)
	defer s.Stop()
	if err := s.CreateNodes(ctx, *nodes); err != nil {
		return err
	}
	explain(s, *nodes)
	<-ctx.Done()
	fmt.Println("\nStopping …")
	return nil
}

// explain prints how to connect the console to the server.
func explain(s *ironic.Server, nodes int) {
	fmt.Printf("Ironic %s runs with %d nodes; log: %s\n\nTo connect the console:\n\n", s.Release.Version(), nodes, s.Log())
	if k := s.Keystone; k != nil {
		fmt.Printf("  export OS_AUTH_URL=%s OS_USERNAME=%s OS_PASSWORD=%s\n", k.AuthURL, k.AdminUser, k.AdminPassword)
		fmt.Printf("  export OS_PROJECT_NAME=%s OS_USER_DOMAIN_NAME=%s OS_PROJECT_DOMAIN_NAME=%s\n", k.AdminProject, k.Domain, k.Domain)
		fmt.Printf("  export OS_REGION_NAME=%s OS_IDENTITY_API_VERSION=3\n", k.Region)
	} else {
		fmt.Printf("  export IRONWORKS_URL=%s\n", s.URL)
		if s.Basic != nil {
			fmt.Printf("  export OS_AUTH_TYPE=http_basic OS_ENDPOINT=%s OS_USERNAME=%s OS_PASSWORD=%s\n", s.URL, s.Username, s.Password)
		}
	}
	if s.CACert != "" {
		fmt.Printf("  export OS_CACERT=%s\n", s.CACert)
	}
	if s.Keystone != nil {
		cloudsYAML(s)
	}
	fmt.Println("\nCtrl-C stops it and removes everything.")
}

// cloudsYAML prints the settings for clouds.yaml.
func cloudsYAML(s *ironic.Server) {
	k := s.Keystone
	fmt.Printf(`
or, in clouds.yaml:

  clouds:
    ironworks-test:
      auth:
        auth_url: %s
        username: %s
        password: %s
        project_name: %s
        user_domain_name: %s
        project_domain_name: %s
      region_name: %s
`, k.AuthURL, k.AdminUser, k.AdminPassword, k.AdminProject, k.Domain, k.Domain, k.Region)
	if s.CACert != "" {
		fmt.Printf("      cacert: %s\n", s.CACert)
	}
}

func remove(dir string) {
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, "run: removing the state:", err)
	}
}
