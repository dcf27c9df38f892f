// Coordinate plans new requests and a new HPA target as one change, from real manifests, and says whether a policy allows it.
//
//	go run ./examples/coordinate                                   an example that is built in
//	kubectl get deploy,hpa -o yaml --show-managed-fields | coordinate --request app:cpu=700m -
//
// It reads manifests and writes a report; it never talks to a cluster. Run it with --help for all flags.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, terminals{out: isTerminal(os.Stdout) && knowsColours(), err: isTerminal(os.Stderr)}))
}

// knowsColours says whether colour is of use on a terminal: it knows colours, and the user has not asked for none (NO_COLOR).
func knowsColours() bool { return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" }

// isTerminal says whether somebody looks at a file.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device too
	return err != nil || !os.SameFile(info, null)
}
