// Controller changes requests and HPA targets together: a small controller-runtime reconciler around package hpacouple.
//
//	controller --policy policy.yaml                     says what it would do, in events; writes nothing else
//	controller --policy policy.yaml --read-only=false   does it
//	controller --rules --read-only=false                the ClusterRole that it needs
//
// What it is told stands in annotations of a Deployment or StatefulSet (see annotations.go): the recommended requests, and whether to roll back or to
// release. It is an example of how the library is used, in as little code as that takes, and makes no recommendations of its own.
package main

import (
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	if err := run(ctrl.SetupSignalHandler(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "controller:", err)
		os.Exit(1)
	}
}
