package bmc

import (
	"cmp"
	"context"
	"errors"

	"ironworks/models"
)

// maxSensors is the maximum number of sensors that are read.
const maxSensors = 400

// readSensors reads the temperatures, fans, power and voltages of the machine's chassis from the resources of older
// controllers. If these contain none, it tries the resources of newer controllers, and then the list of sensors.
func (p *probe) readSensors(ctx context.Context) error {
	all, err := p.readChassis(ctx)
	errs := []error{err}
	for i := range all {
		c := &all[i]
		before := len(p.found.Sensors)
		errs = append(errs, p.thermal(ctx, c.Thermal), p.power(ctx, c.Power))
		if len(p.found.Sensors) == before {
			errs = append(errs, p.thermalSubsystem(ctx, c.ThermalSubsystem), p.powerSubsystem(ctx, c))
		}
		if len(p.found.Sensors) == before {
			errs = append(errs, p.sensors(ctx, c.Sensors))
		}
	}
	return errors.Join(errs...)
}

func (p *probe) add(s models.BMCSensor, status condition) {
	if status.absent() || status.State == "Disabled" || len(p.found.Sensors) >= maxSensors {
		return
	}
	// Some controllers write 0 for missing thresholds.
	if orZero(s.Low) == 0 && orZero(s.High) == 0 {
		s.Low, s.High = nil, nil
	}
	s.Health = health(status.Health)
	p.found.Sensors = append(p.found.Sensors, s)
}

// bounds holds the critical thresholds of a sensor.
type bounds struct {
	Low  *float64 `json:"LowerThresholdCritical"`
	High *float64 `json:"UpperThresholdCritical"`
}

func (p *probe) thermal(ctx context.Context, at ref) error {
	var t struct {
		Temperatures []struct {
			bounds
			Name    string
			Celsius *float64 `json:"ReadingCelsius"`
			Status  condition
		}
		Fans []struct {
			bounds
			Name, FanName, ReadingUnits string

			Reading *float64
			Status  condition
		}
	}
	if err := p.getLinked(ctx, at, &t); err != nil {
		return err
	}
	for _, x := range t.Temperatures {
		if x.Celsius != nil {
			p.add(models.BMCSensor{Name: x.Name, Kind: "temperature", Value: *x.Celsius, Unit: "°C", Low: x.Low, High: x.High}, x.Status)
		}
	}
	for _, x := range t.Fans {
		if x.Reading != nil {
			p.add(models.BMCSensor{Name: cmp.Or(x.Name, x.FanName), Kind: "fan", Value: *x.Reading, Unit: unit(x.ReadingUnits), Low: x.Low, High: x.High}, x.Status)
		}
	}
	return nil
}

func unit(text string) string {
	switch text {
	case "Percent":
		return "%"
	case "Cel":
		return "°C"
	}
	return text
}

func (p *probe) power(ctx context.Context, at ref) error {
	var w struct {
		PowerControl []struct {
			Consumed *float64 `json:"PowerConsumedWatts"`
			Capacity *float64 `json:"PowerCapacityWatts"`
			Status   condition
		}
		PowerSupplies []struct {
			Name     string
			Output   *float64 `json:"PowerOutputWatts"`
			Last     *float64 `json:"LastPowerOutputWatts"`
			Capacity *float64 `json:"PowerCapacityWatts"`
			Status   condition
		}
		Voltages []struct {
			bounds
			Name   string
			Volts  *float64 `json:"ReadingVolts"`
			Status condition
		}
	}
	if err := p.getLinked(ctx, at, &w); err != nil {
		return err
	}
	for _, x := range w.PowerControl {
		if x.Consumed != nil {
			p.add(models.BMCSensor{Name: "consumed", Kind: "power", Value: *x.Consumed, Unit: "W", High: x.Capacity}, x.Status)
		}
	}
	for _, x := range w.PowerSupplies {
		p.add(models.BMCSensor{Name: x.Name, Kind: "supply", Value: orZero(cmp.Or(x.Output, x.Last)), Unit: "W", High: x.Capacity}, x.Status)
	}
	for _, x := range w.Voltages {
		if x.Volts != nil {
			p.add(models.BMCSensor{Name: x.Name, Kind: "voltage", Value: *x.Volts, Unit: "V", Low: x.Low, High: x.High}, x.Status)
		}
	}
	return nil
}

// reading holds the value of a sensor in resources of newer controllers.
type reading struct {
	Reading *float64
	RPM     *float64 `json:"SpeedRPM"`
}

// thermalSubsystem reads temperatures and fans from the resources of newer controllers.
func (p *probe) thermalSubsystem(ctx context.Context, at ref) error {
	var t struct{ ThermalMetrics, Fans ref }
	if err := p.getLinked(ctx, at, &t); err != nil {
		return err
	}
	var metrics struct {
		Readings []struct {
			DeviceName string
			Reading    *float64
		} `json:"TemperatureReadingsCelsius"`
	}
	err := p.getLinked(ctx, t.ThermalMetrics, &metrics)
	for _, r := range metrics.Readings {
		if r.Reading != nil {
			p.add(models.BMCSensor{Name: r.DeviceName, Kind: "temperature", Value: *r.Reading, Unit: "°C"}, condition{})
		}
	}
	type fan struct {
		resource
		Speed reading `json:"SpeedPercent"`
	}
	fans, err2 := members[fan](ctx, p.session, t.Fans, mostMembers)
	for i := range fans {
		x := &fans[i]
		sensor := models.BMCSensor{Name: cmp.Or(x.Name, x.ID), Kind: "fan", Unit: "%"}
		switch {
		case x.Speed.RPM != nil:
			sensor.Value, sensor.Unit = *x.Speed.RPM, "RPM"
		case x.Speed.Reading != nil:
			sensor.Value = *x.Speed.Reading
		default:
			continue
		}
		p.add(sensor, x.Status)
	}
	return errors.Join(err, err2)
}

// powerSubsystem reads the power consumption and the power supplies from the resources of newer controllers.
func (p *probe) powerSubsystem(ctx context.Context, c *chassis) error {
	var e struct{ PowerWatts reading }
	all := []error{p.getLinked(ctx, c.EnvironmentMetrics, &e)}
	if e.PowerWatts.Reading != nil {
		p.add(models.BMCSensor{Name: "consumed", Kind: "power", Value: *e.PowerWatts.Reading, Unit: "W"}, condition{})
	}
	var w struct{ PowerSupplies ref }
	all = append(all, p.getLinked(ctx, c.PowerSubsystem, &w))
	type supply struct {
		resource
		Metrics  ref
		Capacity *float64 `json:"PowerCapacityWatts"`
	}
	supplies, err := members[supply](ctx, p.session, w.PowerSupplies, mostMembers)
	all = append(all, err)
	for i := range supplies {
		x := &supplies[i]
		var m struct{ OutputPowerWatts, InputPowerWatts reading }
		if !x.Status.absent() {
			all = append(all, p.getLinked(ctx, x.Metrics, &m))
		}
		watts := cmp.Or(m.OutputPowerWatts.Reading, m.InputPowerWatts.Reading)
		p.add(models.BMCSensor{Name: cmp.Or(x.Name, x.ID), Kind: "supply", Value: orZero(watts), Unit: "W", High: x.Capacity}, x.Status)
	}
	return errors.Join(all...)
}

func (p *probe) sensors(ctx context.Context, at ref) error {
	type bound struct{ Reading *float64 }
	type sensor struct {
		resource
		Reading                   *float64
		ReadingType, ReadingUnits string

		Thresholds struct{ LowerCritical, UpperCritical bound }
	}
	list, err := members[sensor](ctx, p.session, at, mostMembers)
	for i := range list {
		s := &list[i]
		if s.Reading == nil {
			continue
		}
		kind := map[string]string{"Temperature": "temperature", "Rotational": "fan", "Power": "power", "Voltage": "voltage"}[s.ReadingType]
		p.add(models.BMCSensor{
			Name: cmp.Or(s.Name, s.ID), Kind: cmp.Or(kind, s.ReadingType, "sensor"), Value: *s.Reading, Unit: unit(s.ReadingUnits),
			Low: s.Thresholds.LowerCritical.Reading, High: s.Thresholds.UpperCritical.Reading,
		}, s.Status)
	}
	return err
}
