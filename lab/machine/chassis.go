package machine

import "net/http"

func (m *Machine) getChassis(request *http.Request) object {
	path := request.URL.Path
	return resource(path, "Chassis", "Chassis of "+m.Name(), object{
		"ChassisType": "RackMount", "Manufacturer": m.spec.Vendor, "Model": m.spec.Product, "SerialNumber": m.spec.Serial,
		"UUID": uuidOf("chassis of " + m.Name()), "PowerState": m.Power(), "Status": healthy(),
		"Thermal": link(path + "/Thermal"), "Power": link(path + "/Power"),
		"NetworkAdapters": link(path + "/NetworkAdapters"), "PCIeDevices": link(path + "/PCIeDevices"),
		"Actions": action(path, "Chassis.Reset", object{"ResetType@Redfish.AllowableValues": resetTypes()}),
		"Links":   object{"ComputerSystems": links(m.SystemPath()), "ManagedBy": links(m.managerPath())},
	})
}

// sensors holds the readings of the machine's sensors. The BMC reads the sensors even while the machine is off. The
// temperatures are then close to the air temperature.
type sensors struct {
	inlet, processor, fan int // temperatures in degrees Celsius, and the fan's speed in rpm
	watts                 int
}

func (m *Machine) sensors() sensors {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.power == Off || m.power == PoweringOff:
		return sensors{inlet: 22, processor: 24, fan: 0, watts: 9}
	case m.boot.Progress == ProgressOSRunning:
		return sensors{inlet: 23, processor: 52, fan: 6400, watts: 210}
	default:
		return sensors{inlet: 22, processor: 38, fan: 5200, watts: 140}
	}
}

func (m *Machine) getThermal(request *http.Request) object {
	path, read := request.URL.Path, m.sensors()
	temperature := func(index, name, context string, celsius, critical int) object {
		return object{
			"@odata.id": path + "#/Temperatures/" + index, "MemberId": index, "Name": name, "PhysicalContext": context,
			"ReadingCelsius": celsius, "UpperThresholdNonCritical": critical - 10, "UpperThresholdCritical": critical, "Status": healthy(),
		}
	}
	fan := func(index, name string) object {
		return object{
			"@odata.id": path + "#/Fans/" + index, "MemberId": index, "Name": name, "PhysicalContext": "SystemBoard",
			"Reading": read.fan, "ReadingUnits": "RPM", "Status": healthy(),
		}
	}
	return resource(path, "Thermal", "Temperatures and fans", object{
		"Status":       healthy(),
		"Temperatures": []object{temperature("0", "Inlet", "Intake", read.inlet, 45), temperature("1", "CPU 1", "CPU", read.processor, 95)},
		"Fans":         []object{fan("0", "Fan 1"), fan("1", "Fan 2")},
	})
}

func (m *Machine) getPower(request *http.Request) object {
	path, read := request.URL.Path, m.sensors()
	return resource(path, "Power", "Power", object{
		"PowerControl": []object{{
			"@odata.id": path + "#/PowerControl/0", "MemberId": "0", "Name": "System power", "PowerConsumedWatts": read.watts,
			"PowerCapacityWatts": 750, "Status": healthy(),
		}},
		"Voltages": []object{{
			"@odata.id": path + "#/Voltages/0", "MemberId": "0", "Name": "Line", "ReadingVolts": 230, "PhysicalContext": "PowerSupply", "Status": healthy(),
		}},
		"PowerSupplies": []object{{
			"@odata.id": path + "#/PowerSupplies/0", "MemberId": "0", "Name": "PSU 1", "PowerSupplyType": "AC", "LineInputVoltageType": "AC240V",
			"LineInputVoltage": 230, "PowerCapacityWatts": 750, "LastPowerOutputWatts": read.watts, "Manufacturer": m.spec.Vendor,
			"Model": "Lab PSU", "SerialNumber": m.spec.Serial + "-PSU1", "Status": healthy(),
		}},
	})
}
