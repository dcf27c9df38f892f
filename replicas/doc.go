// Package replicas computes how many replicas a HorizontalPodAutoscaler wants: the arithmetic of the controller
// of Kubernetes v1.37.2, as pure functions.
//
// It is not a controller: it reads no cluster, no metrics API and no clock, and it writes nothing. The caller hands
// over what the controller would have seen, and gets back what the controller would have done, with the numbers
// that led there.
//
// There are three levels:
//
//   - [Calculator]: one metric, one proposal. One method per kind of metric and target.
//   - [Step]: one pass of the controller over one HPA. State is a value that goes in and comes out.
//   - [Replay]: many passes over a usage series.
//
// [FromHPA], [FromStatus] and [Observe] build their inputs from API objects.
//
// # Exactness
//
// Results are equal to v1.37.2 bit for bit wherever upstream's arithmetic is defined, floats included: divide first,
// then multiply, then round up. Where upstream's integers wrap or a conversion leaves its range, the result is the
// mathematically right one and [OutOfRange] says where; with ReproduceOverflow it is what upstream gives on amd64,
// on every architecture. Numbers that do not fit where they are read ([Observe], [FromHPA]) count as the nearest that
// does; upstream's reading is kept beside it (Beyond). Requests that do not fit, or are negative, are the exception: they
// fail the metric either way.
//
// All quantities are int64 thousandths ("milli"), rounded up as Quantity.MilliValue does: millicores, and
// milli-bytes for memory.
//
// # Laws
//
//   - N1: with every listed pod ready, and spec and status equal to their number, more usage never gives fewer replicas:
//     not of one metric, nor of a pass over several with its windows and limits.
//   - N2: a pass that computed metrics ends within minReplicas and maxReplicas if it began there.
//   - N3: Step is a function of its arguments: equal twice, inputs unchanged, and a JSON round trip of the state
//     between two passes changes nothing.
package replicas
