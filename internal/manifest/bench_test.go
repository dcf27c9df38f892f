package manifest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fleet is n Deployments of about 30 lines, each with its HPA.
func fleet(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%[1]d
  namespace: shop
  labels:
    app.kubernetes.io/name: web-%[1]d
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web-%[1]d
  template:
    metadata:
      labels:
        app: web-%[1]d
    spec:
      containers:
      - name: app
        image: registry.example.com/shop/web:%[1]d
        env:
        - name: MODE
          value: "production"
        ports:
        - name: http
          containerPort: 8080
        resources:
          requests:
            cpu: 500m
            memory: 512Mi
          limits:
            memory: 1Gi
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web-%[1]d
  namespace: shop
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web-%[1]d
  minReplicas: 2
  maxReplicas: 10
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: 60
`, i)
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	src := fleet(1000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for range b.N {
		if o, problems := Read("f", strings.NewReader(src)); len(problems) > 0 || len(o.Deployments) != 1000 {
			b.Fatal(problems)
		}
	}
}

// TestReadFleet: 1 000 Deployments with HPAs, and time that grows with the
// input, not with its square. The bounds leave room for slow machines.
func TestReadFleet(t *testing.T) {
	start := time.Now()
	o, problems := Read("f", strings.NewReader(fleet(1000)))
	require.Empty(t, problems)
	require.Len(t, o.Deployments, 1000)
	require.Len(t, o.Autoscalers, 1000)
	require.Less(t, time.Since(start), 20*time.Second)
}

// BenchmarkReadHostile has files of the full size that are as laborious as
// they can be.
func BenchmarkReadHostile(b *testing.B) {
	fill := func(pre, piece, post string, pieces int) string { return pre + strings.Repeat(piece, pieces) + post }
	for _, c := range []struct{ name, src string }{
		{"flow list", fill("[", "a,", "]", maxPieces-2)},
		{"questions", fill("", "?\n", "", maxPieces-2)},
		{"comments", fill("a: b\n", "- a # c\n", "", maxPieces/2-2)},
		{"text", fill("a: ", "x ", "", MaxSize/2-2)},
		{"JSON objects", fill("", `{"a":{}}`, "", maxDocuments)},
		{"documents", fill("", "---\na: b\n", "", maxDocuments)},
		{"containers", fill("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [", "{a: b},", "]}", maxPieces/2-10)},
		{"problems", fill("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [", "{name: 1},", "]}", maxPieces/2-10)},
		{"merges", "a: &a {" + manyKeys(20_000) + "}\n" + strings.Repeat("? {<<: *a}\n: x\n", 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.src)))
			b.ReportAllocs()
			for range b.N {
				Read("f", strings.NewReader(c.src))
			}
		})
	}
}
