package rightsizetest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Releaser is what is checked by [CheckRelease]: a controller whose workload leaves auto-patch. It gives up what it has written and returns the
// objects as they are afterwards. It is called after the writer, on what that returned.
type Releaser func(live Objects) (Objects, error)

// ReleaseLaws returns the laws of [CheckRelease].
func ReleaseLaws() []Law { return []Law{LawA10, LawP3} }

// CheckRelease checks laws of a writer and a releaser on random changes, each as a subtest with the law's name; without names it checks all of
// [ReleaseLaws]. A release in which values go back is not meant: that is the reverse of a change (H3), and then a release.
//
//	A10   a release changes no value, whether it comes after a change, after a change and its reverse, or before anything was written
//	P3    a second release changes nothing
func CheckRelease(t *testing.T, write Writer, release Releaser, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = ReleaseLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckReleaseLaw(t, write, release, law) })
	}
}

// CheckReleaseLaw checks one law of [ReleaseLaws].
func CheckReleaseLaw(t TB, write Writer, release Releaser, law Law) {
	t.Helper()
	rapid.Check(t, release.Property(write, law))
}

// Property is one law of [ReleaseLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (f Releaser) Property(write Writer, law Law) func(*rapid.T) {
	give := Writer(func(o Objects, _ hpacouple.Change) (Objects, error) { return f(o) }) // a writer that is asked for no change
	return func(t *rapid.T) {
		if !slices.Contains(ReleaseLaws(), law) {
			t.Fatalf("%q is not a law of a release", law)
		}
		p := Changes().Draw(t, "change")
		live := p.Objects()
		written := rapid.IntRange(0, 2).Draw(t, "written: not, once, once and back")
		if written > 0 {
			live = write.run(t, p.Input, live, p.Change)
		}
		if written > 1 {
			live = write.run(t, p.Input, live, p.Change.Reverse())
		}
		after := give.run(t, p.Input, live, p.Change)
		if law == LawP3 {
			live, after = after, give.run(t, p.Input, after, p.Change)
		}
		live.State = after.State // whether it is kept is the controller's business
		fail(t, p.Input, differs(law, live, after))
	}
}
