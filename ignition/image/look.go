package image

// Look is what an image says of itself.
type Look struct {
	Volume string
	// Capacity is that of the area for a configuration, Used what is taken of it, in
	// bytes.
	Capacity, Used int64
	// Kargs are the kernel arguments; empty where the image has no area for them.
	Kargs string
	// Others are the names of what else is in the area, such as network keyfiles; none
	// where it cannot be read, which [ISO.Ignition] tells.
	Others []string
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
