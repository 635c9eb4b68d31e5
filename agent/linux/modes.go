package linux

// linkModes lists the bit numbers of the link modes in linux/ethtool.h for each speed in Mbit/s, fastest first.
// Higher bit numbers are for speeds that no release of lshw knows.
var linkModes = []struct {
	speed int
	bits  []int
}{
	{400000, []int{69, 70, 71, 72, 73, 85, 86, 87, 88, 89}},
	{200000, []int{62, 63, 64, 65, 66, 80, 81, 82, 83, 84}},
	{100000, []int{36, 37, 38, 39, 57, 58, 59, 60, 61, 75, 76, 77, 78, 79}},
	{56000, []int{27, 28, 29, 30}},
	{50000, []int{34, 35, 40, 52, 53, 54, 55, 56}},
	{40000, []int{23, 24, 25, 26}},
	{25000, []int{31, 32, 33}},
	{20000, []int{21, 22}},
	{10000, []int{12, 18, 19, 20, 42, 43, 44, 45, 46}},
	{5000, []int{48}},
	{2500, []int{15, 47}},
	{1000, []int{4, 5, 17, 41, 68}},
	{100, []int{2, 3, 67, 90, 91}},
	{10, []int{0, 1, 92}},
}

// fastestMode returns the speed of the fastest mode in a bit set, in Mbit/s, or 0. The set consists of 32-bit words
// in little-endian byte order, which is the byte order of all hosts that Ironic supports.
func fastestMode(set []byte) int {
	const bits = 8
	for _, mode := range linkModes {
		for _, bit := range mode.bits {
			if i := bit / bits; i < len(set) && set[i]&(1<<(bit%bits)) != 0 {
				return mode.speed
			}
		}
	}
	return 0
}
