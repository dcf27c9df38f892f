package manifest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadRequests reads tables; those without a fault give the row that is
// shown, as quantities and line.
func TestReadRequests(t *testing.T) {
	for _, c := range []struct{ name, input, want, why string }{
		{"both", RequestsHeader + "\nDeployment,shop,web,app,cpu,700m,1\n", "2 Deployment shop/web app cpu 700m 1", ""},
		{"no limit", RequestsHeader + "\nDeployment,shop,web,app,memory,1Gi,\n", "2 Deployment shop/web app memory 1Gi -", "empty: not given"},
		{"no request", RequestsHeader + "\nDeployment,shop,web,app,memory,,1Gi\n", "2 Deployment shop/web app memory - 1Gi", "empty: not given"},
		{"no namespace", RequestsHeader + "\nDeployment,,web,app,cpu,1,\n", "2 Deployment default/web app cpu 1 -", ""},
		{"zero", RequestsHeader + "\nDeployment,,web,app,cpu,0,\n", "2 Deployment default/web app cpu 0 -", "given; what it means is not decided here"},
		{"blanks", " kind, namespace ,name,container,resource,request,limit\n Deployment ,\t, web,app , cpu , 700m,\n", "2 Deployment default/web app cpu 700m -", "around a cell they do not count"},
		{"quotes", RequestsHeader + "\n\"Deployment\",\"shop\",web,app,cpu,\"1\",\"\"\n", "2 Deployment shop/web app cpu 1 -", ""},
		{"CR LF, byte order mark, blank line", "\xef\xbb\xbf" + strings.ReplaceAll(RequestsHeader+"\n\nDeployment,,web,app,cpu,1,", "\n", "\r\n"), "3 Deployment default/web app cpu 1 -", "as spreadsheets write it"},
		{"header alone", RequestsHeader, "", "no rows are no fault"},
		{"empty", "", "f:1: found nothing, expected the header " + RequestsHeader, ""},
		{"no header", "Deployment,,web,app,cpu,1,\n", `f:1: found "Deployment,,web,app,cpu,1,", expected the header ` + RequestsHeader, "its first row would be lost"},
		{"header in another order", "namespace,kind,name,container,resource,request,limit\n", `f:1: found "namespace,kind,`, ""},
		{"semicolons", strings.ReplaceAll(RequestsHeader, ",", ";"), `f:1: found "kind;namespace;`, "some spreadsheets"},
		{"few cells", RequestsHeader + "\nDeployment,,web,app,cpu,1\n", "f:2: found 6 cells, expected the 7 of the header", ""},
		{"many cells", RequestsHeader + "\nDeployment,,web,app,cpu,1,5,2\n", "f:2: found 8 cells, expected the 7 of the header", "a decimal comma"},
		{"quote in the middle", RequestsHeader + "\nDeployment,,w\"eb,app,cpu,1,\n", `f:2: not valid CSV: bare " in non-quoted-field`, ""},
		{"quote without end", RequestsHeader + "\n\"Deployment,,web,app,cpu,1,\n", `f:2: not valid CSV: extraneous or missing " in quoted-field`, ""},
		{"no kind", RequestsHeader + "\n,,web,app,cpu,1,\n", "f:2: kind: found nothing, expected a name", ""},
		{"no container", RequestsHeader + "\nDeployment,,web,,cpu,1,\n", "f:2: container: found nothing, expected a name", ""},
		{"resource", RequestsHeader + "\nDeployment,,web,app,CPU,1,\n", `f:2: resource: found "CPU", expected cpu or memory`, ""},
		{"neither", RequestsHeader + "\nDeployment,,web,app,cpu,,\n", "f:2: request: found neither a request nor a limit, expected one of them", "the row says nothing"},
		{"bad request", RequestsHeader + "\nDeployment,,web,app,memory,128MiB,\n", `f:2: request: found "128MiB", expected a quantity such as`, ""},
		{"bad limit", RequestsHeader + "\nDeployment,,web,app,memory,1Gi,NaN\n", `f:2: limit: found "NaN", expected a quantity such as`, ""},
		{"blank inside", RequestsHeader + "\nDeployment,,web,app,memory,1 Gi,\n", `f:2: request: found "1 Gi", expected a quantity such as`, ""},
		{"endless exponent", RequestsHeader + "\nDeployment,,web,app,memory,1e-999999999,\n", "f:2: request: found \"1e-999999999\", expected a quantity with an exponent", ""},
		{"twice", RequestsHeader + "\nDeployment,,web,app,cpu,1,\nDeployment,default,web,app,cpu,,2\n",
			"2 Deployment default/web app cpu 1 -\nf:3: found a second row for cpu of container app of Deployment default/web, expected one; the first, in line 2, stays", ""},
		{"goes on", RequestsHeader + "\nDeployment,,web,app,cpu\nDeployment,,web,app,cpu,2,\n", "3 Deployment default/web app cpu 2 -\nf:2: found 5 cells, expected the 7 of the header", "a bad row does not stop the others"},
		{"windows-1252", RequestsHeader + "\nDeployment,,caf\xe9,app,cpu,2,\n", "f:2: found the byte 0xe9, expected UTF-8", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, problems := ReadRequests("f", strings.NewReader(c.input))
			var got []string
			for _, r := range rows {
				request, limit := "-", "-"
				if r.Request != nil {
					request = r.Request.String()
				}
				if r.Limit != nil {
					limit = r.Limit.String()
				}
				got = append(got, strings.TrimPrefix(r.Origin.String(), "f:")+" "+r.Kind+" "+r.Namespace+"/"+r.Name+" "+r.Container+" "+string(r.Resource)+" "+request+" "+limit)
			}
			got = append(got, texts(problems)...)
			if len(problems) > 0 {
				require.Contains(t, strings.Join(got, "\n"), c.want, c.why)
				require.Len(t, problems, 1)
			} else {
				require.Equal(t, c.want, strings.Join(got, "\n"), c.why)
			}
		})
	}
}
