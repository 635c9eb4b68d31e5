package node

type op byte

const (
	unchanged op = ' '
	added     op = '+'
	removed   op = '-'
)

// change is a line of a diff, with the operation that produced it.
type change struct {
	op   op
	line string
}

// mostCells is the maximum number of cells in the table that diff uses to find the longest common subsequence. The
// table has one cell for each pair of lines; the YAML of a node has several hundred lines.
const mostCells = 1 << 20

// diff returns the lines of both texts, each marked as unchanged, removed or added. Where lines were replaced, the
// removed ones come first. If the texts differ too much, all lines between their common start and their common end
// count as changed.
func diff(before, after []string) []change {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	out := make([]change, 0, len(before)+len(after))
	put := func(o op, lines []string) {
		for _, line := range lines {
			out = append(out, change{o, line})
		}
	}
	put(unchanged, after[:head])
	old, fresh := before[head:len(before)-tail], after[head:len(after)-tail]
	if len(old) == 0 || len(fresh) == 0 || len(old)*len(fresh) > mostCells {
		put(removed, old)
		put(added, fresh)
	} else {
		out = append(out, middle(old, fresh)...)
	}
	put(unchanged, after[len(after)-tail:])
	return out
}

// middle compares two texts by their longest common subsequence. It computes the lengths from the end of the texts,
// so that it can output the changes from the start.
func middle(old, fresh []string) []change {
	w := len(fresh) + 1
	// longest[i*w+j] is the length of the longest common subsequence of old[i:] and fresh[j:].
	longest := make([]int32, (len(old)+1)*w)
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(fresh) - 1; j >= 0; j-- {
			if old[i] == fresh[j] {
				longest[i*w+j] = longest[(i+1)*w+j+1] + 1
			} else {
				longest[i*w+j] = max(longest[(i+1)*w+j], longest[i*w+j+1])
			}
		}
	}
	out := make([]change, 0, len(old)+len(fresh))
	i, j := 0, 0
	for i < len(old) || j < len(fresh) {
		switch {
		case i < len(old) && j < len(fresh) && old[i] == fresh[j]:
			out = append(out, change{unchanged, fresh[j]})
			i++
			j++
		case j == len(fresh) || i < len(old) && longest[(i+1)*w+j] >= longest[i*w+j+1]:
			out = append(out, change{removed, old[i]})
			i++
		default:
			out = append(out, change{added, fresh[j]})
			j++
		}
	}
	return out
}

// count returns the number of added lines and the number of removed lines.
func count(changes []change) (in, out int) {
	for _, c := range changes {
		switch c.op {
		case added:
			in++
		case removed:
			out++
		case unchanged:
		}
	}
	return in, out
}
