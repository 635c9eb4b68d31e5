package journal

import (
	"testing"

	"ironworks/models"
)

// TestJoin checks that an operation observed by two programs, or by a program before and after a restart, is stored
// as one operation, and that different operations are not joined.
func TestJoin(t *testing.T) {
	clean := midway(deployment(0, 5, 60, -1), 0, 40)
	clean.Kind = models.StateCleaning
	tests := []struct {
		name  string
		noted []models.Work
		want  string
	}{
		{
			"another sees it a second later",
			[]models.Work{deployment(0, 5, -1), deployment(1, 6, -1), deployment(0, 5, 60), deployment(1, 6, 61)},
			"r7-n01 deploying done 0-60 whole=true | power on 0-5 done | boot to ramdisk 5-60 done",
		},
		{
			"started anew while it booted",
			[]models.Work{deployment(0, 5, -1), midway(deployment(0, 5, 60, -1), 1, 40), midway(deployment(0, 5, 60, 90, 99), 1, 40)},
			"r7-n01 deploying done 0-99 whole=true | power on 0-5 done | boot to ramdisk 5-60 done | install_coreos 60-90 done | reboot 90-99 done",
		},
		{
			"started anew in a later step",
			[]models.Work{deployment(0, 5, -1), midway(deployment(0, 5, 60, 99), 2, 70)},
			"r7-n01 deploying done 0-99 whole=true | power on 0-5 done | boot to ramdisk 5-70 done | install_coreos 70-99 done",
		},
		{
			"who saw the beginning tells later",
			[]models.Work{midway(deployment(0, 5, 60, -1), 2, 70), deployment(0, 5, 60, 99)},
			"r7-n01 deploying done 0-99 whole=true | power on 0-5 done | boot to ramdisk 5-60 done | install_coreos 60-99 done",
		},
		{
			"the slower one tells after the end",
			[]models.Work{deployment(0, 5, 60), deployment(1, 6, -1)},
			"r7-n01 deploying done 0-60 whole=true | power on 0-5 done | boot to ramdisk 5-60 done",
		},
		{
			"two in a row",
			[]models.Work{deployment(0, 5, 60), deployment(61, 66, -1)},
			"r7-n01 deploying running 61--1 whole=true | power on 61-66 done | boot to ramdisk 66--1 running\n" +
				"r7-n01 deploying done 0-60 whole=true | power on 0-5 done | boot to ramdisk 5-60 done",
		},
		{
			"nobody saw the first one's end",
			[]models.Work{deployment(0, 5, -1), deployment(600, 605, -1)},
			"r7-n01 deploying running 600--1 whole=true | power on 600-605 done | boot to ramdisk 605--1 running\n" +
				"r7-n01 deploying running 0--1 whole=true | power on 0-5 done | boot to ramdisk 5--1 running",
		},
		{
			"into the middle of one hours later",
			[]models.Work{deployment(0, 5, -1), midway(deployment(0, 5, 60, -1), 2, 9000)},
			"r7-n01 deploying running 9000--1 whole=false | install_coreos 9000--1 running\n" +
				"r7-n01 deploying running 0--1 whole=true | power on 0-5 done | boot to ramdisk 5--1 running",
		},
		{
			"into one that began again",
			[]models.Work{deployment(0, 5, 60, -1), midway(deployment(0, 5, -1), 1, 300)},
			"r7-n01 deploying running 300--1 whole=false | boot to ramdisk 300--1 running\n" +
				"r7-n01 deploying running 0--1 whole=true | power on 0-5 done | boot to ramdisk 5-60 done | install_coreos 60--1 running",
		},
		{
			"other work",
			[]models.Work{deployment(0, 5, -1), clean},
			"r7-n01 cleaning running 40--1 whole=false | power on 40-5 done | boot to ramdisk 5-60 done | install_coreos 60--1 running\n" +
				"r7-n01 deploying running 0--1 whole=true | power on 0-5 done | boot to ramdisk 5--1 running",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := open(t, file(t))
			for _, w := range tt.noted {
				j.Record(Records{Works: []models.Work{w}})
				_ = j.flushed(t.Context()) // writes each operation separately, as several programs would
			}
			if got := ofNode(t, j); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
