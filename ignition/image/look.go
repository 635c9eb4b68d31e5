package image

// Look is what an image says of itself.
type Look struct {
	Volume string `json:"volume,omitempty"`
	// Capacity is that of the area for a configuration, Used what is taken of it, in
	// bytes.
	Capacity int64 `json:"capacity,omitempty"`
	Used     int64 `json:"used,omitempty"`
	// Kargs are the kernel arguments; empty where the image has no area for them.
	Kargs string `json:"kargs,omitempty"`
	// Others are the names of what else is in the area, such as network keyfiles; none
	// where it cannot be read, which [ISO.Ignition] tells.
	Others []string `json:"others,omitempty"`
}

// Look looks at an image.
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
