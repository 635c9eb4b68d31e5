package bmc

import (
	"errors"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
)

// readSensors reads temperatures, fans, power and voltages of the machine's chassis: as
// older controllers tell them, or else from the list of sensors.
func (p *probe) readSensors() error {
	chassis, err := p.system.Chassis()
	all := []error{err}
	for _, c := range chassis {
		before := len(p.found.Sensors)
		all = append(all, p.thermal(c), p.power(c))
		if len(p.found.Sensors) == before {
			all = append(all, p.sensors(c))
		}
	}
	return errors.Join(all...)
}

func (p *probe) add(s models.BMCSensor, status schemas.Status) {
	if status.State == schemas.AbsentState || status.State == schemas.DisabledState {
		return
	}
	s.Health = health(status.Health)
	p.found.Sensors = append(p.found.Sensors, s)
}

func (p *probe) thermal(c *schemas.Chassis) error {
	t, err := c.Thermal()
	if t == nil || err != nil {
		return err
	}
	for i := range t.Temperatures {
		if x := &t.Temperatures[i]; x.ReadingCelsius != nil {
			p.add(models.BMCSensor{
				Name: x.Name, Kind: "temperature", Value: *x.ReadingCelsius, Unit: "°C", Low: x.LowerThresholdCritical, High: x.UpperThresholdCritical,
			}, x.Status)
		}
	}
	for i := range t.Fans {
		x := &t.Fans[i]
		if x.Reading == nil {
			continue
		}
		unit := string(x.ReadingUnits)
		if unit == "Percent" {
			unit = "%"
		}
		p.add(models.BMCSensor{
			Name: x.Name, Kind: "fan", Value: float64(*x.Reading), Unit: unit, Low: number(x.LowerThresholdCritical), High: number(x.UpperThresholdCritical),
		}, x.Status)
	}
	return nil
}

func (p *probe) power(c *schemas.Chassis) error {
	w, err := c.Power()
	if w == nil || err != nil {
		return err
	}
	for i := range w.PowerControl {
		if x := &w.PowerControl[i]; x.PowerConsumedWatts != nil {
			p.add(models.BMCSensor{Name: "consumed", Kind: "power", Value: float64(*x.PowerConsumedWatts), Unit: "W", High: number(x.PowerCapacityWatts)}, x.Status)
		}
	}
	for i := range w.PowerSupplies {
		x := &w.PowerSupplies[i]
		watts := x.PowerOutputWatts
		if watts == nil {
			watts = x.LastPowerOutputWatts
		}
		p.add(models.BMCSensor{Name: x.Name, Kind: "supply", Value: float64(of(watts)), Unit: "W", High: number(x.PowerCapacityWatts)}, x.Status)
	}
	for i := range w.Voltages {
		if x := &w.Voltages[i]; x.ReadingVolts != nil {
			p.add(models.BMCSensor{
				Name: x.Name, Kind: "voltage", Value: float64(*x.ReadingVolts), Unit: "V", Low: number(x.LowerThresholdCritical), High: number(x.UpperThresholdCritical),
			}, x.Status)
		}
	}
	return nil
}

// number is one of another kind, nil where it is not told.
func number[T int | float32](n *T) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func (p *probe) sensors(c *schemas.Chassis) error {
	list, err := c.Sensors()
	for _, s := range list {
		if s.Reading == nil {
			continue
		}
		kind := map[schemas.ReadingType]string{
			schemas.TemperatureReadingType: "temperature", schemas.RotationalReadingType: "fan", schemas.PowerReadingType: "power", schemas.VoltageReadingType: "voltage",
		}[s.ReadingType]
		if kind == "" {
			kind = string(s.ReadingType)
		}
		p.add(models.BMCSensor{
			Name: s.Name, Kind: kind, Value: *s.Reading, Unit: s.ReadingUnits, Low: s.Thresholds.LowerCritical.Reading, High: s.Thresholds.UpperCritical.Reading,
		}, s.Status)
	}
	return err
}
