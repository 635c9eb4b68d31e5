// Package serve gives images and Ignition configurations to those who boot from
// them: the BMCs of machines, Ironic's conductors, firmware and Ignition itself.
//
//	server, err := serve.Listen(ctx, serve.Options{OnEvent: show})
//	path, err := server.Add(serve.Item{Node: "r7-n01", Name: "r7-n01.iso", Kind: serve.ISO, Open: open})
//	url := server.URL(host, path) // what to put into driver_info.deploy_iso
//	err = server.Run(ctx)         // until ctx ends
//
// What is served may hold secrets and none of the clients can log in, so an address
// is a secret itself: 160 random bits that nobody lists. Everything else is 404.
//
// Who fetched how much is kept by item and remote address ([Server.Fetches]), and
// told as it happens ([Options.OnEvent]). [Candidates] finds the address of this
// machine that a BMC can reach.
package serve
