package machine

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"testing"

	"github.com/stmcginnis/gofish"
	"github.com/stmcginnis/gofish/schemas"
)

// trusting returns a TLS configuration that trusts only the given certificate.
func trusting(certificate tls.Certificate) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(certificate.Leaf)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func TestGofish(t *testing.T) {
	for _, test := range []struct {
		name          string
		basic, secure bool
	}{{"session over HTTP", false, false}, {"basic over HTTPS", true, true}} {
		t.Run(test.name, func(t *testing.T) {
			m := machineT(t, spec(), Options{})
			address, web := serveT(t, rackT(t, m), test.secure)
			client, err := gofish.ConnectContext(t.Context(), gofish.ClientConfig{
				Endpoint: address, Username: "admin", Password: "secret", BasicAuth: test.basic, HTTPClient: web, NoModifyTransport: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Logout()
			systems, err := client.Service.Systems()
			if err != nil || len(systems) != 1 {
				t.Fatalf("%d systems, error %v", len(systems), err)
			}
			gofishSystem(t, m, systems[0])
			gofishManager(t, m, client)
			gofishChassis(t, client)
			gofishSecureBoot(t, m, systems[0])
			gofishAccounts(t, client)
		})
	}
}

func TestGofishRefused(t *testing.T) {
	address, web := serveT(t, rackT(t, machineT(t, spec(), Options{})), false)
	_, err := gofish.ConnectContext(t.Context(), gofish.ClientConfig{
		Endpoint: address, Username: "admin", Password: "wrong", HTTPClient: web, NoModifyTransport: true,
	})
	if err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("error %v, want 401", err)
	}
}

func gofishSystem(t *testing.T, m *Machine, system *schemas.ComputerSystem) {
	t.Helper()
	if system.SerialNumber != "m1" || system.PowerState != schemas.OffPowerState || system.Model != "R1" {
		t.Errorf("system %q %q %q", system.SerialNumber, system.PowerState, system.Model)
	}
	if _, err := system.Reset(schemas.OnResetType); err != nil || m.Power() != On {
		t.Errorf("power %s, error %v", m.Power(), err)
	}
	err := system.SetBoot(&schemas.Boot{BootSourceOverrideTarget: schemas.CdBootSource, BootSourceOverrideEnabled: schemas.OnceBootSourceOverrideEnabled})
	if want := (BootOverride{Target: Cd, Enabled: Once, Mode: UEFI}); err != nil || m.Override() != want {
		t.Errorf("boot %+v, error %v", m.Override(), err)
	}
	nics, err := system.EthernetInterfaces()
	if err != nil || len(nics) != 2 {
		t.Errorf("%d interfaces, error %v", len(nics), err)
	}
	cpus, err := system.Processors()
	if err != nil || len(cpus) != 1 || *cpus[0].TotalCores != 8 {
		t.Errorf("processors %v, error %v", cpus, err)
	}
	storages, err := system.Storage()
	if err != nil || len(storages) != 1 {
		t.Fatalf("%d storages, error %v", len(storages), err)
	}
	drives, err := storages[0].Drives()
	bytes := 0
	for _, drive := range drives { // the drives may be in any order
		bytes += *drive.CapacityBytes
	}
	if err != nil || len(drives) != 2 || bytes != 480e9+4e12 {
		t.Errorf("%d drives of %d bytes, error %v", len(drives), bytes, err)
	}
	bios, err := system.Bios()
	if err != nil {
		t.Fatal(err)
	}
	if err := bios.UpdateBiosAttributes(schemas.SettingsAttributes{"NumLock": "Off"}); err != nil {
		t.Error(err)
	}
	if _, pending := m.BIOS(); pending["NumLock"] != "Off" {
		t.Errorf("pending attributes %v", pending)
	}
	logs, err := system.LogServices()
	if err != nil || len(logs) != 1 {
		t.Fatalf("%d logs, error %v", len(logs), err)
	}
	entries, err := logs[0].Entries()
	if err != nil || len(entries) == 0 || entries[0].Message == "" {
		t.Errorf("%d entries, error %v", len(entries), err)
	}
	if _, err := logs[0].ClearLog(""); err != nil || len(m.Log()) != 0 {
		t.Errorf("%d entries after clearing, error %v", len(m.Log()), err)
	}
}

func gofishManager(t *testing.T, m *Machine, client *gofish.APIClient) {
	t.Helper()
	managers, err := client.Service.Managers()
	if err != nil || len(managers) != 1 {
		t.Fatalf("%d managers, error %v", len(managers), err)
	}
	media, err := managers[0].VirtualMedia()
	if err != nil || len(media) != 1 {
		t.Fatalf("%d media, error %v", len(media), err)
	}
	if _, err := media[0].InsertMedia(&schemas.VirtualMediaInsertMediaParameters{Image: imageURL}); err != nil || m.VirtualMedia().URL != imageURL || !m.VirtualMedia().Inserted {
		t.Errorf("medium %+v, error %v", m.VirtualMedia(), err)
	}
	if _, err := media[0].EjectMedia(); err != nil || m.VirtualMedia() != (VirtualMedia{}) {
		t.Errorf("medium %+v, error %v", m.VirtualMedia(), err)
	}
	if _, err := managers[0].Reset(schemas.ForceRestartResetType); err != nil {
		t.Error(err)
	}
	updates, err := client.Service.UpdateService()
	if err != nil {
		t.Fatal(err)
	}
	if firmware, err := updates.FirmwareInventory(); err != nil || len(firmware) != 3 {
		t.Errorf("%d firmwares, error %v", len(firmware), err)
	}
}

func gofishChassis(t *testing.T, client *gofish.APIClient) {
	t.Helper()
	chassis, err := client.Service.Chassis()
	if err != nil || len(chassis) != 1 {
		t.Fatalf("%d chassis, error %v", len(chassis), err)
	}
	thermal, err := chassis[0].Thermal()
	if err != nil || len(thermal.Temperatures) != 2 || len(thermal.Fans) != 2 {
		t.Errorf("thermal %+v, error %v", thermal, err)
	}
	adapters, err := chassis[0].NetworkAdapters()
	if err != nil || len(adapters) != 1 {
		t.Fatalf("%d adapters, error %v", len(adapters), err)
	}
	ports, err := adapters[0].Ports()
	older, err2 := adapters[0].NetworkPorts()
	functions, err3 := adapters[0].NetworkDeviceFunctions()
	if err := errors.Join(err, err2, err3); err != nil || len(ports) != 2 || len(older) != 2 || len(functions) != 2 {
		t.Errorf("%d ports, %d network ports, %d functions, error %v", len(ports), len(older), len(functions), err)
	}
	devices, err := chassis[0].PCIeDevices()
	if err != nil || len(devices) != 2 {
		t.Errorf("%d PCIe devices, error %v", len(devices), err)
	}
	power, err := chassis[0].Power()
	if err != nil || len(power.PowerSupplies) != 1 {
		t.Errorf("power %+v, error %v", power, err)
	}
}

func gofishSecureBoot(t *testing.T, m *Machine, system *schemas.ComputerSystem) {
	t.Helper()
	secure, err := system.SecureBoot()
	if err != nil {
		t.Fatal(err)
	}
	secure.SecureBootEnable = true
	if err := secure.Update(); err != nil || !m.SecureBoot().Enabled {
		t.Errorf("secure boot %+v, error %v", m.SecureBoot(), err)
	}
	if _, err := secure.ResetKeys(schemas.DeletePKResetKeysType); err != nil || m.SecureBoot().Keys["PK"] {
		t.Errorf("secure boot %+v, error %v", m.SecureBoot(), err)
	}
	databases, err := secure.SecureBootDatabases()
	if err != nil || len(databases) != 4 {
		t.Errorf("%d databases, error %v", len(databases), err)
	}
	devices, err := system.PCIeDevices()
	if err != nil || len(devices) != 2 {
		t.Errorf("%d PCIe devices of the system, error %v", len(devices), err)
	}
}

func gofishAccounts(t *testing.T, client *gofish.APIClient) {
	t.Helper()
	accounts, err := client.Service.AccountService()
	if err != nil {
		t.Fatal(err)
	}
	if roles, err := accounts.Roles(); err != nil || len(roles) != 3 {
		t.Errorf("%d roles, error %v", len(roles), err)
	}
}
