package rightsizetest_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// step is this module's own pass.
var step = rightsizetest.Step

func TestReplicas(t *testing.T) { rightsizetest.CheckReplicas(t, step) }

func TestEveryReplicasLawCatchesItsFault(t *testing.T) {
	calls := int32(0)
	planted := map[rightsizetest.Law]rightsizetest.Simulation{
		rightsizetest.LawN1: func(p rightsizetest.Pass) int32 { // takes a pod far above the others for an outlier
			mean := int64(0)
			for _, pod := range p.Pods {
				mean += pod.Usage / int64(len(p.Pods))
			}
			for i := range p.Pods {
				if p.Pods[i].Usage > 2*mean {
					p.Pods[i].Usage = 0
				}
			}
			return step(p)
		},
		rightsizetest.LawN2: func(p rightsizetest.Pass) int32 { // the bounds are for others
			p.Min, p.Max = 1, math.MaxInt32
			return step(p)
		},
		rightsizetest.LawN3: func(p rightsizetest.Pass) int32 { // asks one pod
			for i := range p.Pods {
				p.Pods[i] = p.Pods[0]
			}
			return step(p)
		},
		rightsizetest.LawN4: func(p rightsizetest.Pass) int32 { // the textbook: no whole percents, no tolerance
			var used, requested float64
			for _, pod := range p.Pods {
				used, requested = used+float64(pod.Usage), requested+float64(pod.Request)
			}
			n := int32(math.Ceil(float64(len(p.Pods)) * used / requested * 100 / float64(p.Target)))
			return min(max(n, p.Min), p.Max)
		},
		rightsizetest.LawP2: func(p rightsizetest.Pass) int32 { // sorts what it was given
			slices.SortFunc(p.Pods, func(a, b rightsizetest.PodUse) int { return int(a.Usage%1000 - b.Usage%1000) })
			return step(p)
		},
		rightsizetest.LawP4: func(p rightsizetest.Pass) int32 { // divides by what is requested
			used, requested := int64(0), int64(0)
			for _, pod := range p.Pods {
				used, requested = used+pod.Usage, requested+pod.Request
			}
			return int32(used / requested)
		},
	}
	for _, law := range rightsizetest.ReplicaLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckReplicasLaw(t, faulty, law) }, "  target ")
		})
	}
	remembers := func(p rightsizetest.Pass) int32 { calls++; return step(p) + calls%2 }
	failed, _ := record(t, func(t rightsizetest.TB) {
		rightsizetest.CheckReplicasLaw(t, remembers, rightsizetest.LawN3)
	})
	require.True(t, failed, "N3 without an order")
	failed, _ = record(t, func(t rightsizetest.TB) { rightsizetest.CheckReplicasLaw(t, step, rightsizetest.LawH1) })
	require.True(t, failed)
}

// The controller's arithmetic reaches all that a pass can do.
func TestPassShares(t *testing.T) {
	const draws = 2000
	seen := map[string]int{}
	for i := range draws {
		p := rightsizetest.Passes().Example(i)
		switch n, now := step(p), int32(len(p.Pods)); {
		case now < p.Min || now > p.Max:
			seen["outside at first"]++
		case n == now:
			seen["stays"]++
		case n > now && n == max(2*now, 4):
			seen["limited"]++
		case n == p.Max || n == p.Min:
			seen["at a bound"]++
		case n > now:
			seen["up"]++
		default:
			seen["down"]++
		}
	}
	for _, kind := range []string{"outside at first", "stays", "limited", "at a bound", "up", "down"} {
		t.Logf("%-18s %5.1f %%", kind, 100*float64(seen[kind])/draws)
		require.Greater(t, seen[kind], draws/100, kind)
	}
}
