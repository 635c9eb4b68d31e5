// Package serve serves images and Ignition configurations to boot clients: BMCs, Ironic's
// conductors, firmware and Ignition itself.
//
//	server, err := serve.Listen(ctx, serve.Options{OnEvent: show})
//	path, err := server.Add(serve.Item{Node: "r7-n01", Name: "r7-n01.iso", Kind: serve.ISO, Open: open})
//	url := server.URL(host, path) // for driver_info.deploy_iso
//	err = server.Run(ctx)         // until ctx ends
//
// Items may contain secrets, and clients cannot authenticate, so the URL itself is the secret:
// it has 160 random bits and is never listed. All other paths return 404.
//
// The server records downloads by item and remote address ([Server.Fetches]) and reports them
// ([Options.OnEvent]). [Candidates] finds the address of this machine that a BMC can reach.
package serve
