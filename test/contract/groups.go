package contract

// groups returns all groups of behaviors that are written as steps.
func groups() []group {
	return []group{
		versions(), shapes(), limits(), creating(), naming(), getting(), listing(),
		patching(), interfaces(), patchingIn(), deleting(), deletingIn(), arguments(), allocations(), traits(), templates(), instances(),
		maintaining(), power(), management(), validation(), ports(), portgroups(), vifs(), serving(),
		ramdisk(), secrets(), life(),
		rules(), runbooks(), details(), answerOrders(), malformed(), elsewhere(), chassis(), volumes(), autodetection(),
	}
}
