// Package serve serves images and Ignition configurations to boot clients, which are BMCs, Ironic's
// conductors, firmware and Ignition itself.
//
//	server, err := serve.Listen(ctx, serve.Options{OnEvent: show})
//	path, err := server.Add(serve.Item{Node: "r7-n01", Name: "r7-n01.iso", Kind: serve.ISO, Open: open})
//	url := server.URL(host, path) // for driver_info.deploy_iso
//	err = server.Run(ctx)         // until ctx is done
//
// Items may contain secrets, but boot clients cannot authenticate, so the URL itself is the secret:
// it contains 160 random bits and does not appear in any listing. All other paths return 404.
//
// The server records downloads by item and remote address ([Server.Fetches]) and reports them as
// events ([Options.OnEvent]). [Candidates] finds the addresses of this machine that a BMC can reach.
package serve
