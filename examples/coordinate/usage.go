package main

import "github.com/kube-rightsize/rightsize/internal/program"

const introduction = `Plan new requests and a new HPA target as one change, and say whether a policy allows it.

  coordinate [flags] [FILE...]

FILE holds manifests, YAML or JSON, many to a file: Deployment, StatefulSet, ReplicaSet, DaemonSet, HorizontalPodAutoscaler (v2, v1),
LimitRange, Pod, Service, VerticalPodAutoscaler (its target is a source of new requests), List, and a policy: a document of any kind whose
spec.hpa has coordinate or targetBounds, which governs its namespace. Other kinds are named and skipped. - is standard input. Without FILE
an example that is built in is planned. Nothing is written to a cluster.

A FILE holds 16 MiB at most; what kubectl prints of a whole cluster with many pods is more. Give one namespace after the other, or several FILEs.

  coordinate
  coordinate web.yaml --request app:cpu=700m --coordinate
  coordinate web.yaml --usage cpu=range-query.json --usage memory=other.json --price cpu=0.03,memory=0.004
  kubectl get deploy,rs,hpa,vpa,limitrange,pod,service -o yaml --show-managed-fields | coordinate -o json -
  kubectl get deploy,hpa -o yaml --show-managed-fields | coordinate -o writes --rollback=Deployment/web -

New requests come from --request and --limit, then --requests, then --usage, then VerticalPodAutoscalers: what is named first goes before the
rest.

`

const conclusion = `
Exit codes: 0 the report is complete, whatever the outcomes; 1 faults in the input (the rest is reported), or the report could not be
written; 2 flags that cannot be meant; 3 with --exit-code, where no fault was found and a workload is skipped or blocked, or somebody else holds
what would be written.
`

// usage explains the program and its flags.
func usage() string { return introduction + program.Describe(flags()) + conclusion }
