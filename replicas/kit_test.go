package replicas_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// N4 stands in the kit, rightsizetest, with a twin of a plain pass.

var plainPass = rightsizetest.Simulation(rightsizetest.Step).Property(rightsizetest.LawN4)

func TestN4(t *testing.T) { rapid.Check(t, plainPass) }
func FuzzN4(f *testing.F) { f.Fuzz(rapid.MakeFuzz(plainPass)) }
