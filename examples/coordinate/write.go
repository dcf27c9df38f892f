package main

import (
	"encoding/json"
	"io"

	"sigs.k8s.io/yaml"
)

// write writes the report in a format. It builds the whole text first, so that an error leaves nothing half written.
func write(w io.Writer, r report, format string, colour bool) error {
	var out []byte
	var err error
	switch format {
	case "json":
		if out, err = json.MarshalIndent(r, "", "  "); err == nil {
			out = append(out, '\n')
		}
	case "yaml":
		out, err = yaml.Marshal(r)
	case "writes":
		out = writesText(r)
	default:
		out = table(r, colour)
	}
	if err == nil {
		_, err = w.Write(out)
	}
	return err
}
