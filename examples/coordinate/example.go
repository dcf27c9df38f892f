package main

import _ "embed"

// example is what is planned where no file is named.
//
//go:embed example/web.yaml
var example string

// exampleUsage is what was measured about it.
//
//go:embed example/usage.csv
var exampleUsage string
