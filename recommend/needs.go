package recommend

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Needs is what a strategy uses, so that a caller can have it computed where the samples already are.
type Needs struct {
	CPU    ResourceNeeds `json:"cpu"`
	Memory ResourceNeeds `json:"memory"`
	// Window is how much history it is meant for.
	Window metav1.Duration `json:"window"`
	// Throttling and OOM say that these facts are used, Span that first and last sample and their number are.
	Throttling bool `json:"throttling"`
	OOM        bool `json:"oom"`
	Span       bool `json:"span"`
}

// ResourceNeeds is what is used of one resource.
type ResourceNeeds struct {
	Resource  corev1.ResourceName `json:"resource"`
	From      Source              `json:"from"`
	Interval  metav1.Duration     `json:"interval,omitempty"` // of the peaks
	Quantiles []PPM               `json:"quantiles,omitempty"`
	Max       bool                `json:"max,omitempty"`
}

// Needs returns what the strategy uses, quantiles in ascending order. Max is also used by flags, so it is always wanted;
// a table without it gives the same requests and fewer flags where the strategy does not take a maximum itself.
func (s Strategy) Needs() Needs {
	return Needs{
		CPU:    s.CPU.needs(corev1.ResourceCPU, s.PeakInterval),
		Memory: s.Memory.needs(corev1.ResourceMemory, s.PeakInterval),
		Window: s.Window, Throttling: true, OOM: true,
		Span: s.MinSamples > 0 || s.MinSpan.Duration > 0 || s.CPU.Confidence.Duration > 0 || s.Memory.Confidence.Duration > 0,
	}
}

func (r Rule) needs(name corev1.ResourceName, interval metav1.Duration) ResourceNeeds {
	n := ResourceNeeds{Resource: name, From: r.From, Max: true}
	if r.From == Peaks {
		n.Interval = interval
	}
	for _, s := range []Statistic{r.Lower, r.Target, r.Upper} {
		if !s.Max && !slices.Contains(n.Quantiles, s.Quantile) {
			n.Quantiles = append(n.Quantiles, s.Quantile)
		}
	}
	slices.Sort(n.Quantiles)
	return n
}
