package provision

import (
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// TestNextOfADeployment checks that the record and the node alone determine what to do next for an interrupted
// deployment.
func TestNextOfADeployment(t *testing.T) {
	t.Parallel()
	const mine = "i1"
	began := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	touched := models.Time{Time: began.Add(-time.Hour)}
	later := models.Time{Time: began.Add(time.Second)}
	available, failed := models.StateAvailable, models.StateDeployFailed
	for name, c := range map[string]struct {
		stage Stage
		from  models.ProvisionState
		node  models.Node
		after time.Duration
		want  next
	}{
		"nothing has arrived":                      {StagePreparing, available, models.Node{ProvisionState: available}, settleTime, nextSend},
		"it may be on its way":                     {StagePreparing, available, models.Node{ProvisionState: available}, settleTime - 1, nextWait},
		"the clock was put back":                   {StagePreparing, available, models.Node{ProvisionState: available}, -time.Hour, nextSend},
		"Ironic is at work on the node":            {StageSending, available, models.Node{ProvisionState: available, InstanceUUID: mine, Reservation: "c1"}, time.Hour, nextWait},
		"reserved":                                 {StagePreparing, available, models.Node{ProvisionState: available, InstanceUUID: mine}, settleTime, nextSend},
		"somebody else was quicker":                {StagePreparing, available, models.Node{ProvisionState: available, InstanceUUID: "i2"}, 0, nextOver},
		"the request to deploy has not arrived":    {StageSending, available, models.Node{ProvisionState: available, InstanceUUID: mine}, settleTime, nextSend},
		"somebody gave it back before that":        {StageSending, available, models.Node{ProvisionState: available}, settleTime, nextOver},
		"it has arrived":                           {StageSending, available, models.Node{ProvisionState: models.StateDeploying, InstanceUUID: mine, Reservation: "c1"}, 0, nextFollow},
		"it has arrived and failed":                {StageSending, available, models.Node{ProvisionState: failed, InstanceUUID: mine}, 0, nextFollow},
		"it has arrived and is done":               {StageSending, available, models.Node{ProvisionState: models.StateActive, InstanceUUID: mine}, 0, nextFollow},
		"it has arrived, which was not noted":      {StagePreparing, available, models.Node{ProvisionState: models.StateDeployWait, InstanceUUID: mine}, 0, nextFollow},
		"a second try has not arrived":             {StageSending, failed, models.Node{ProvisionState: failed, InstanceUUID: mine, ProvisionUpdatedAt: touched}, settleTime, nextSend},
		"a second try has arrived and failed":      {StageSending, failed, models.Node{ProvisionState: failed, InstanceUUID: mine, ProvisionUpdatedAt: later}, 0, nextFollow},
		"followed":                                 {StageFollowing, available, models.Node{ProvisionState: models.StateDeployHold, InstanceUUID: mine}, 0, nextFollow},
		"followed, and has failed":                 {StageFollowing, failed, models.Node{ProvisionState: failed, InstanceUUID: mine, ProvisionUpdatedAt: touched}, 0, nextFollow},
		"undeployed meanwhile":                     {StageFollowing, available, models.Node{ProvisionState: models.StateCleaning}, 0, nextOver},
		"being given back":                         {StageGivingBack, available, models.Node{ProvisionState: available, InstanceUUID: mine}, settleTime, nextGiveBack},
		"the last of giving back may be under way": {StageGivingBack, available, models.Node{ProvisionState: available, InstanceUUID: mine}, 0, nextWait},
		"given back":                               {StageGivingBack, available, models.Node{ProvisionState: available}, settleTime, nextOver},
		"failed, to be tried again":                {StageSent, available, models.Node{ProvisionState: failed, InstanceUUID: mine}, 0, nextSend},
		"nobody waits for it":                      {StageSent, available, models.Node{ProvisionState: models.StateDeploying, InstanceUUID: mine}, 0, nextFollow},
		"undeployed after it failed":               {StageSent, available, models.Node{ProvisionState: available}, 0, nextOver},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := record{Unfinished: Unfinished{Stage: c.stage, From: c.from, At: began, Instance: mine, Touched: touched}}
			if got, why := u.next(&c.node, began.Add(c.after)); got != c.want || (why != "") != (got == nextOver) {
				t.Errorf("%v (%q), want %v", got, why, c.want)
			}
		})
	}
}

// TestNextOfARebuild does the same as TestNextOfADeployment for a rebuild, during which the node keeps its instance.
// The node is active both before and after the rebuild.
func TestNextOfARebuild(t *testing.T) {
	t.Parallel()
	began := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	touched, later := models.Time{Time: began.Add(-time.Hour)}, models.Time{Time: began.Add(time.Second)}
	for name, c := range map[string]struct {
		stage Stage
		state models.ProvisionState
		at    models.Time
		after time.Duration
		want  next
	}{
		"it may be on its way":    {StageSending, models.StateActive, touched, 0, nextWait},
		"it has not arrived":      {StageSending, models.StateActive, touched, settleTime, nextSend},
		"it goes on":              {StageSending, models.StateDeploying, later, 0, nextFollow},
		"it is done":              {StageSending, models.StateActive, later, settleTime, nextFollow},
		"it was followed":         {StageFollowing, models.StateActive, later, 0, nextFollow},
		"it has failed":           {StageSent, models.StateDeployFailed, later, 0, nextSend},
		"nobody waits for it":     {StageSent, models.StateDeployWait, later, 0, nextFollow},
		"nobody waited, and done": {StageSent, models.StateActive, later, time.Hour, nextOver},
	} {
		u := record{Unfinished: Unfinished{Verb: models.VerbRebuild, Stage: c.stage, From: models.StateActive, At: began, Instance: "i1", Kept: true, Touched: touched}}
		n := models.Node{ProvisionState: c.state, InstanceUUID: "i1", ProvisionUpdatedAt: c.at}
		if got, why := u.next(&n, began.Add(c.after)); got != c.want || (why != "") != (got == nextOver) {
			t.Errorf("%s: %v (%q), want %v", name, got, why, c.want)
		}
	}
}

func TestRecordOfADeployment(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	d := &Deployments{Dir: t.TempDir() + "/x"}
	uuid := "7d5f1a2b-0d6e-4a43-9f2c-000000000001"
	if list, err := d.Unfinished(now); err != nil || list != nil {
		t.Fatalf("at first: %v, %v", list, err)
	}
	asked, err := recordDeployment(Deployment{UserData: []byte("hunter2"), Fields: plan.Fields{Kind: plan.KindInstallCoreOS}})
	if err != nil {
		t.Fatal(err)
	}
	if back, err := asked.deployment(); err != nil || string(back.UserData) != "hunter2" || back.Fields.Kind != plan.KindInstallCoreOS {
		t.Errorf("read back: %+v, %v", back, err)
	}
	other, err := recordDeployment(Deployment{UserData: []byte("hunter3"), Fields: plan.Fields{Kind: plan.KindInstallCoreOS}})
	if err != nil || other.digest() == asked.digest() {
		t.Errorf("other user data is the same: %v", err)
	}
	log, err := d.open(uuid)
	if err != nil {
		t.Fatal(err)
	}
	rec := record{Unfinished: Unfinished{Node: models.NodeRef{UUID: uuid}, Stage: StagePreparing, Started: now, At: now}, Deployment: asked}
	if err := log.create(rec); err != nil {
		t.Fatal(err)
	}
	if _, err := d.open(uuid); err == nil || err.Error() != "this ironworks process is already acting on the node" {
		t.Errorf("a second one: %v", err)
	}
	if list, err := d.Unfinished(now); err != nil || len(list) != 0 {
		t.Errorf("at work: %v, %v", list, err)
	}
	if err := log.setStage(StageFollowing, now); err != nil || log.record.Deployment != nil {
		t.Errorf("what was sent is kept: %+v, %v", log.record, err)
	}
	log.close()
	if list, err := d.Unfinished(now); err != nil || len(list) != 1 || list[0].Stage != StageFollowing {
		t.Errorf("interrupted: %v, %v", list, err)
	}
	if log, err = d.open(uuid); err != nil {
		t.Fatal(err)
	}
	if err := log.setStage(StageSent, now); err != nil {
		t.Error(err)
	}
	log.close()
	if list, err := d.List(now); err != nil || len(list) != 1 {
		t.Errorf("listed: %v, %v", list, err)
	}
	if list, err := d.Unfinished(now); err != nil || len(list) != 0 {
		t.Errorf("nobody waits for it: %v, %v", list, err)
	}
	if list, err := d.List(now.Add(sentRetention + 1)); err != nil || len(list) != 0 {
		t.Errorf("after a month: %v, %v", list, err)
	}
	if _, err := d.open("../x"); err == nil {
		t.Error("a path is taken for a uuid")
	}
}
