package recommend

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/skipreason"
	"github.com/kube-rightsize/rightsize/usage"
)

// The thresholds of the flags that are found in measurements. Their rules stand in skipreason's catalogue.
const (
	fewSamples = 100
	idleCores  = 0.001
	flatShare  = 0.9 // median / largest memory
	loadShare  = 0.5 // median / largest cpu
)

// heapMarks are settings that fix how much memory a runtime takes, whatever it needs.
var heapMarks = [...]string{"-Xmx", "-XX:MaxRAMPercentage", "-XX:MaxHeapSize", "--max-old-space-size", "GOMEMLIMIT", "DOTNET_GCHeapHardLimit"}

// heapVariables are variables that only a runtime with its own heap reads.
var heapVariables = [...]string{"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "GOMEMLIMIT", "DOTNET_GCHeapHardLimit", "DOTNET_GCHeapHardLimitPercent"}

func hasHeap(c *corev1.Container) bool {
	if c == nil {
		return false
	}
	for _, env := range c.Env {
		for _, name := range heapVariables {
			if env.Name == name {
				return true
			}
		}
		if marked(env.Value) {
			return true
		}
	}
	for _, words := range [][]string{c.Command, c.Args} {
		for _, w := range words {
			if marked(w) {
				return true
			}
		}
	}
	return false
}

func marked(text string) bool {
	for _, mark := range heapMarks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// ratio returns median / largest.
func ratio(v usage.View) (float64, bool) {
	if usage.Empty(v) {
		return 0, false
	}
	median, ok1 := v.Quantile(0.5)
	largest, ok2 := v.Max()
	if !ok1 || !ok2 || !(largest > 0) {
		return 0, false
	}
	return median / largest, true
}

// independent reports whether memory stays where it is while load comes and goes: its median is at least 90 % of its
// largest value, and cpu's median is at most half of its largest one, or cpu is not known.
func independent(memory, cpu usage.View) bool {
	flat, ok := ratio(memory)
	if !ok || flat < flatShare {
		return false
	}
	load, ok := ratio(cpu)
	return !ok || load <= loadShare
}

// flags lists in the order of skipreason.RiskFlags what holds.
func flags(holds map[skipreason.RiskFlag]bool) []skipreason.RiskFlag {
	var list []skipreason.RiskFlag
	for _, f := range skipreason.RiskFlags() {
		if holds[f] {
			list = append(list, f)
		}
	}
	return list
}
