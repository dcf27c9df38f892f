// Package rightsize is the map of the module github.com/kube-rightsize/rightsize: rightsizing and HPA-coupling mathematics for Kubernetes as
// pure functions. It holds no code.
//
// # The promise
//
// A HorizontalPodAutoscaler divides usage by requests. Whoever lowers requests alone makes it add replicas, and the saving is gone. The module
// changes requests and target together so that requests x target stays constant, says exactly when that may not be done, and shows the working.
//
//   - Pure: time is an argument; nothing is read or written but the arguments' copies.
//   - Exact: whole numbers with 128-bit products decide; floats only where the controller uses them.
//   - Total: no panic on any input. What a cluster cannot hold is an error with a field path; everything else is an outcome with a reason.
//   - Deterministic: equal inputs give equal results, byte for byte.
//   - Explained: every outcome carries reason codes and the numbers before and after; text is derived from them.
//
// # Units
//
//	cpu request, usage       millicores, int64; rounded up for each container before adding, as the HPA does
//	memory request, usage    bytes at the API, milli-bytes inside HPA arithmetic (1.1Gi is 1181116006400m)
//	target utilization       whole percent, int32, at least 1, may exceed 100
//	scale point              request sum x target / 100: the usage of a pod at which the HPA rests
//	replicas                 int32
//
// # Packages, each importing only those above it
//
//	skipreason         the words: skip reasons, block reasons, risk flags, with a catalogue
//	internal/exact     whole numbers, and the only doors out of resource.Quantity
//	internal/fieldsv1  the field sets of managedFields
//	metrics            what an HPA measures, and the requests that it divides by
//	bounds             what a target and a request may be; fitting; reachability
//	replicas           how many replicas the HPA wants: its own arithmetic, one pass and over time
//	risk               operating mistakes found in an HPA and its surroundings
//	usage              what was measured (metrics is about what an HPA is told to measure)
//	recommend          what a container needs: usage in, requests out
//	hpacouple          requests and HPA target as one change
//	rightsizetest      generators and law checks for other people's code; for tests
//
// The programs under examples show the main job on real manifests; docs/decisions says why things are as they are.
package rightsize
