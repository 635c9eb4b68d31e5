package image_test

import (
	"testing"

	"ironworks/ignition/image"
	"ironworks/test/coreosinstaller"
)

func TestLook(t *testing.T) {
	t.Parallel()
	live := coreosinstaller.X86()
	pristine := readT(t, live.Image).Look()
	if pristine.Volume != coreosinstaller.Volume || pristine.Capacity != coreosinstaller.AreaSize || pristine.Used != 0 ||
		pristine.Kargs != coreosinstaller.Kargs || pristine.Others != nil {
		t.Errorf("%+v", pristine)
	}
	packed, err := image.Pack(image.Member{Name: "etc/keyfile", Content: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	copy(live.Image[live.Area:], packed)
	if look := readT(t, live.Image).Look(); len(look.Others) != 1 || look.Others[0] != "etc/keyfile" || look.Used == 0 {
		t.Errorf("%+v", look)
	}
}
