package db

import (
	"net/http"
	"strconv"
	"time"
)

// Chassis groups nodes.
type Chassis struct {
	ID                   int
	UUID                 string
	Description          *string
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

// VolumeConnector is the address by which a node reaches storage: an IQN, WWN or IP address.
type VolumeConnector struct {
	ID                   int
	UUID                 string
	NodeUUID             string
	Type                 string
	ConnectorID          string
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

// VolumeTarget is a remote volume of a node.
type VolumeTarget struct {
	ID                   int
	UUID                 string
	NodeUUID             string
	VolumeType           string
	VolumeID             string
	BootIndex            int // 0 is the root volume
	Properties           Dict
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

func (c *Chassis) meta() meta         { return meta{&c.ID, &c.UUID, &c.CreatedAt, &c.UpdatedAt} }
func (v *VolumeConnector) meta() meta { return meta{&v.ID, &v.UUID, &v.CreatedAt, &v.UpdatedAt} }
func (v *VolumeTarget) meta() meta    { return meta{&v.ID, &v.UUID, &v.CreatedAt, &v.UpdatedAt} }

func chassisTable(s *Store) *Table[Chassis, *Chassis] {
	t := newTable[Chassis, *Chassis](s, "chassis",
		conflict("ChassisAlreadyExists", "A chassis with UUID %s already exists."),
		missing("ChassisNotFound", "Chassis %s could not be found."))
	t.keeps = func(c *Chassis) error {
		if len(s.Nodes.scan(func(n *Node) bool { return n.ChassisUUID == c.UUID })) == 0 {
			return nil
		}
		return Faultf(http.StatusBadRequest, "ChassisNotEmpty", "Cannot complete the requested action because chassis "+
			"%s contains nodes.", c.UUID)
	}
	return t
}

func connectorTable(s *Store) *Table[VolumeConnector, *VolumeConnector] {
	t := newTable[VolumeConnector, *VolumeConnector](s, "volume_connectors",
		conflict("VolumeConnectorAlreadyExists", "A volume connector with UUID %s already exists."),
		missing("VolumeConnectorNotFound", "Volume connector %s could not be found."),
		unique[VolumeConnector]{
			value: func(v *VolumeConnector) string { return v.Type + "\x00" + v.ConnectorID },
			clash: func(v *VolumeConnector, _ bool) error {
				return Faultf(http.StatusConflict, "VolumeConnectorTypeAndIdAlreadyExists",
					"A volume connector with type %s and connector ID %s already exists.", v.Type, v.ConnectorID)
			},
		})
	t.node = func(v *VolumeConnector) string { return v.NodeUUID }
	return t
}

func targetTable(s *Store) *Table[VolumeTarget, *VolumeTarget] {
	t := newTable[VolumeTarget, *VolumeTarget](s, "volume_targets",
		conflict("VolumeTargetAlreadyExists", "A volume target with UUID %s already exists."),
		missing("VolumeTargetNotFound", "Volume target %s could not be found."),
		unique[VolumeTarget]{
			value: func(v *VolumeTarget) string { return v.NodeUUID + " " + strconv.Itoa(v.BootIndex) },
			clash: func(v *VolumeTarget, _ bool) error {
				return Faultf(http.StatusConflict, "VolumeTargetBootIndexAlreadyExists",
					"A volume target with boot index '%d' for the same node already exists.", v.BootIndex)
			},
		})
	t.node = func(v *VolumeTarget) string { return v.NodeUUID }
	return t
}
