package hpacouple_test

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// The generators stand in the kit: valid draws what clusters hold, biased to where rules act; hostile draws anything that the types allow.

func valid() *rapid.Generator[hpacouple.Input] { return rightsizetest.Inputs() }

func hostile() *rapid.Generator[hpacouple.Input] { return rightsizetest.HostileInputs() }

func milli(m int64) resource.Quantity { return *resource.NewMilliQuantity(m, resource.DecimalSI) }

// copyInput is a deep copy, to see that an input was not written to and that a result does not share with it.
func copyInput(in hpacouple.Input) hpacouple.Input { return *in.DeepCopy() }

// apply writes a plan into a copy of the input and leaves the input's state.
func apply(in hpacouple.Input, r hpacouple.Result) hpacouple.Input {
	out := rightsizetest.Apply(in, r)
	out.State = in.State.DeepCopy()
	return out
}
