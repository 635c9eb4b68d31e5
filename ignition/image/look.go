package image

// Look summarizes an image.
type Look struct {
	Volume string `json:"volume,omitempty"`
	// Capacity is the size of the area for a configuration, Used the part in use, in bytes.
	Capacity int64 `json:"capacity,omitempty"`
	Used     int64 `json:"used,omitempty"`
	// Kargs are the kernel arguments, or "" for an image without areas for them.
	Kargs string `json:"kargs,omitempty"`
	// Others are the names of other files in the area, such as network keyfiles. It is empty if
	// the area is unreadable, which [ISO.Ignition] reports.
	Others []string `json:"others,omitempty"`
}

func (i *ISO) Look() Look {
	look := Look{Volume: i.Volume(), Capacity: i.Capacity(), Used: i.Used()}
	if kargs, err := i.Kargs(); err == nil {
		look.Kargs = kargs.Current
	}
	if members, err := i.Members(); err == nil {
		for _, m := range members {
			look.Others = append(look.Others, m.Name)
		}
	}
	return look
}
