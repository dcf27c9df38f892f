package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// web is a Deployment with its HPA, and a policy that allows everything.
func web(cpu string, target int) string {
	return deployment(box{"app", cpu, "1Gi"}) + hpa(utilization("cpu", target)) + policyOn
}

// api is a second workload, without HPA.
func api(kind string) string { return workloadDoc(kind, "api", box{"app", "300m", ""}) }

// TestRuns covers every flag, every kind of document and every kind of fault: what goes in, the exit code, and parts of what comes out.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"web.yaml":             web("1000m", 50),
		"requests.csv":         "kind,namespace,name,container,resource,request,limit\nDeployment,default,web,app,cpu,700m,1500m\n",
		"bad.csv":              "kind,namespace,name,container,resource,request,limit\nDeployment,default,web,app,disk,1,\n",
		"stray.csv":            "kind,namespace,name,container,resource,request,limit\ndeployment,prod,web,app,cpu,1,\n",
		"twice.csv":            "kind,namespace,name,container,resource,request,limit\nDeployment,,web,app,cpu,600m,\n",
		"-dash.yaml":           web("1000m", 50),
		"all/a.yml":            deployment(box{"app", "1", ""}),
		"all/b.json":           `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":50,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}}`,
		"all/read.me":          "not a manifest: {",
		"all/sub/c.yaml":       "not read: {",
		"all/d.yaml/e.yml":     "not read either: {",
		"empty/nothing.md":     "",
		"deploy/prod/web.yaml": web("1000m", 50),
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for _, row := range []struct {
		name  string
		args  []string
		stdin string
		code  int
		out   []string
		err   []string
		not   []string // in neither
		why   string
	}{
		// Where documents come from.
		{name: "file", args: []string{"web.yaml", "--request", "app:cpu=700m"}, out: []string{"app", "1000m -> 700m", "50% -> 71%", "1 allowed, 0 blocked"}},
		{name: "flags and files mix", args: []string{"--request", "app:cpu=700m", "web.yaml", "-o", "json"}, out: []string{`"to": 71`}},
		{name: "-f", args: []string{"-f", "web.yaml", "--request=app:cpu=700m"}, out: []string{"50% -> 71%"}},
		{name: "-f attached", args: []string{"-fweb.yaml", "--request=app:cpu=700m"}, out: []string{"50% -> 71%"}},
		{name: "-f=", args: []string{"-f=web.yaml", "-request=app:cpu=700m"}, out: []string{"50% -> 71%"}, why: "one dash will do"},
		{name: "--filename", args: []string{"--filename=web.yaml", "-request", "app:cpu=700m"}, out: []string{"50% -> 71%"}},
		{name: "-f with a list", args: []string{"-f", "web.yaml,-", "--request", "app:cpu=700m"}, stdin: api("StatefulSet"), out: []string{"Deployment default/web", "StatefulSet default/api"}},
		{name: "directory", args: []string{"-f", "all", "--request", "app:cpu=700m", "--coordinate"}, out: []string{"50% -> 71%"}, why: "as kubectl: .json, .yaml, .yml, and not what is further down"},
		{name: "empty directory", args: []string{"empty"}, code: 1, err: []string{"empty: found no file that ends in .json, .yaml or .yml"}},
		{name: "standard input", args: []string{"--request", "app:cpu=700m", "-"}, stdin: web("1000m", 50), out: []string{"50% -> 71%"}},
		{name: "after --", args: []string{"--request", "app:cpu=700m", "--", "-dash.yaml"}, out: []string{"50% -> 71%"}},
		{name: "no such file", args: []string{"none.yaml", "web.yaml", "--request", "app:cpu=700m"}, code: 1, err: []string{"none.yaml: cannot be read: "}, out: []string{"50% -> 71%", "1 fault in the input"}, why: "the others are still reported"},
		{name: "same object twice", args: []string{"web.yaml", "web.yaml", "--request", "app:cpu=700m"}, code: 1, err: []string{"found a second Deployment default/web"}},
		{name: "no input", args: []string{"-"}, out: []string{"Nothing was planned: no workload has new requests."}},
		{name: "no new requests", args: []string{"web.yaml"}, out: []string{"without new requests, so not planned: 1 of 1 workloads", "Nothing was planned"}},
		{name: "standard input twice", args: []string{"-", "--requests", "-"}, code: 2, err: []string{"can be read only once"}},

		// Output.
		{name: "-o attached", args: []string{"-oyaml"}, out: []string{"kind: CoordinateReport"}},
		{name: "--output", args: []string{"--output=json"}, out: []string{`"kind": "CoordinateReport"`}},
		{name: "-o table", args: []string{"-o", "table"}, out: []string{"1 workload planned (1 Coordinate)"}},
		{name: "-o nonsense", args: []string{"-o", "wide"}, code: 2, err: []string{`--output "wide": expected table, json, yaml or writes`, "coordinate --help"}},
		{name: "-o without value", args: []string{"-o"}, code: 2, err: []string{"--output: expected a value: FORMAT"}},
		{name: "-h", args: []string{"-h", "--nonsense"}, out: []string{"--max-replicas-reached[=KIND/NAME]"}},
		{name: "unknown flag", args: []string{"--nonsense"}, code: 2, err: []string{`unknown flag "--nonsense"`, "coordinate --help"}},
		{name: "unknown short flag", args: []string{"-x"}, code: 2, err: []string{`unknown flag "-x"`}},

		// New requests.
		{name: "named request", args: []string{"-", "--request", "deploy/web/app:cpu=700m"}, stdin: web("1", 50) + api("Deployment"), out: []string{"1000m -> 700m", "without new requests, so not planned: 1 of 2"}, not: []string{"default/api"}},
		{name: "named request, two namespaces", args: []string{"-", "--request", "deploy/web/app:cpu=700m"}, stdin: web("1", 50) + strings.Replace(deployment(box{"app", "1", ""}), "{name: web}", "{name: web, namespace: stage}", 1), out: []string{"2 workloads planned", "Note: --request deploy/web/app:cpu=700m applies to Deployment default/web, Deployment stage/web"}, why: "a name is one of a namespace"},
		{name: "named fact, two namespaces", args: []string{"-", "--throttled", "deploy/web/app"}, stdin: web("1", 50) + strings.Replace(deployment(box{"app", "1", ""}), "{name: web}", "{name: web, namespace: stage}", 1), out: []string{"Note: --throttled deploy/web/app applies to Deployment default/web, Deployment stage/web"}},
		{name: "named fact, one namespace", args: []string{"-", "--throttled", "deploy/web/app"}, stdin: web("1", 50), not: []string{"applies to"}},
		{name: "request for all", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + api("DaemonSet"), out: []string{"1000m -> 700m", "300m -> 700m", "--request app:cpu=700m applies to DaemonSet default/api, Deployment default/web", "No HPA scales a DaemonSet"}},
		{name: "named before all", args: []string{"-", "--request", "app:cpu=600m", "--request", "Deployment/web/app:cpu=700m"}, stdin: web("1", 50) + api("Deployment"), out: []string{"1000m -> 700m", "300m -> 600m"}},
		{name: "cpu and memory", args: []string{"web.yaml", "--request", "app:cpu=700m,memory=512Mi"}, out: []string{"1000m -> 700m", "1024Mi -> 512Mi"}},
		{name: "no such container", args: []string{"web.yaml", "--request", "App:cpu=1"}, code: 1, err: []string{"--request App:cpu=1: found no workload with a container App"}},
		{name: "no such workload", args: []string{"web.yaml", "--request", "Deployment/api/app:cpu=1"}, code: 1, err: []string{"found no Deployment api"}},
		{name: "no such container in it", args: []string{"web.yaml", "--request", "Deployment/web/side:cpu=1"}, code: 1, err: []string{"--request Deployment/web/side:cpu=1", "the template has no container of that name (Deployment default/web)"}},
		{name: "injected container", args: []string{"-", "--request", "proxy:cpu=1"}, stdin: web("500m", 60) + injectedPod, code: 1, err: []string{"is injected into pods"}},
		{name: "request without amount", args: []string{"--request", "app"}, code: 2, err: []string{"expected [KIND/NAME/]CONTAINER:cpu=700m"}},
		{name: "request with half a scope", args: []string{"--request", "web/app:cpu=1"}, code: 2, err: []string{"expected [KIND/NAME/]CONTAINER"}},
		{name: "request of a strange kind", args: []string{"--request", "Job/web/app:cpu=1"}, code: 2, err: []string{`found the kind "Job"`}},
		{name: "request of a strange resource", args: []string{"--request", "app:disk=1"}, code: 2, err: []string{"expected cpu=AMOUNT or memory=AMOUNT"}},
		{name: "request twice in one", args: []string{"--request", "app:cpu=1,cpu=2"}, code: 2, err: []string{"cpu was given twice"}},
		{name: "request twice", args: []string{"--request", "deploy/web/app:cpu=1", "--request", "Deployment/web/app:cpu=1"}, code: 2, err: []string{"was given before, by --request deploy/web/app:cpu=1"}},
		{name: "request of 0", args: []string{"--request", "app:cpu=0"}, code: 2, err: []string{"expected an amount of cpu above 0"}},
		{name: "request below 0", args: []string{"--request", "app:cpu=-1"}, code: 2, err: []string{"expected an amount of cpu above 0"}},
		{name: "request beyond all", args: []string{"web.yaml", "--request", "app:cpu=1E"}, code: 1, err: []string{"--request app:cpu=1E: Invalid value: \"1E\": must be below 9223372036854775.808"}},
		{name: "limit", args: []string{"web.yaml", "--request", "app:cpu=700m", "--limit", "app:cpu=1500m"}, out: []string{"none -> 1500m"}},
		{name: "limit below the request", args: []string{"web.yaml", "--request", "app:cpu=700m", "--limit", "app:cpu=600m"}, code: 1, err: []string{"must be at or below the limit after the change, 600m"}},
		{name: "limit alone", args: []string{"web.yaml", "--limit", "app:cpu=2"}, out: []string{"the limit of 2000m waits for a change of requests", "No request changes, so nothing is done."}},
		{name: "limit below 0", args: []string{"--limit", "app:cpu=-1"}, code: 2, err: []string{"expected an amount of cpu above 0"}},
		{name: "table of requests", args: []string{"web.yaml", "--requests", "requests.csv"}, out: []string{"1000m -> 700m", "none -> 1500m", "New requests from requests.csv."}},
		{name: "table from standard input", args: []string{"web.yaml", "--requests=-"}, stdin: "kind,namespace,name,container,resource,request,limit\nDeployment,,web,app,cpu,700m,\n", out: []string{"1000m -> 700m"}},
		{name: "flag before table", args: []string{"web.yaml", "--requests", "requests.csv", "--request", "app:cpu=800m"}, out: []string{"1000m -> 800m", "none -> 1500m"}, why: "and the limit of the table stays"},
		{name: "two tables", args: []string{"web.yaml", "--requests", "requests.csv", "--requests", "twice.csv"}, code: 1, err: []string{"twice.csv:2: request: found a second request of cpu for container app of Deployment default/web, expected one; the first is requests.csv:2"}},
		{name: "table with a fault", args: []string{"web.yaml", "--requests", "bad.csv"}, code: 1, err: []string{`bad.csv:2: resource: found "disk", expected cpu or memory`}},
		{name: "table that matches nothing", args: []string{"web.yaml", "--requests", "stray.csv"}, code: 1, err: []string{"stray.csv:2: request: found no Deployment prod/web"}},
		{name: "no such table", args: []string{"web.yaml", "--requests", "none.csv"}, code: 1, err: []string{"none.csv: cannot be read"}},
		{name: "recommender", args: []string{"-"}, stdin: web("1", 50) + vpaDoc("web", "app", "700m"), out: []string{"1000m -> 700m", "New requests from VerticalPodAutoscaler web."}},
		{name: "recommender for an injected container", args: []string{"-", "--request", "app:cpu=400m"}, stdin: web("500m", 60) + injectedPod + vpaDoc("web", "proxy", "50m"), out: []string{"VerticalPodAutoscaler web recommends requests for container proxy, which the template does not hold; they are left out", "proxy (injected)"}},
		{name: "recommender of nothing", args: []string{"-"}, stdin: vpaDoc("web", "app", "700m"), out: []string{"VerticalPodAutoscaler default/web scales Deployment web, which is not among the workloads that were read"}},
		{name: "recommender of 0", args: []string{"-"}, stdin: web("1", 50) + vpaDoc("web", "app", "0"), code: 1, err: []string{"standard input:25: document 4: status.recommendation.containerRecommendations[0].target[cpu]: Invalid value: \"0\": must be above 0"}},
		{name: "two recommenders", args: []string{"-"}, stdin: web("1", 50) + vpaDoc("web", "app", "700m") + vpaDoc("web2", "app", "600m"), code: 1, err: []string{"found a second request of cpu for container app of Deployment default/web", "--request Deployment/web/app:cpu=AMOUNT goes before both"}},
		{name: "two recommenders of one mind", args: []string{"-"}, stdin: web("1", 50) + vpaDoc("web", "app", "700m") + vpaDoc("web2", "app", "0.7"), out: []string{"1000m -> 700m", "New requests from VerticalPodAutoscaler web, VerticalPodAutoscaler web2."}},
		{name: "flag before two recommenders", args: []string{"-", "--request", "app:cpu=800m"}, stdin: web("1", 50) + vpaDoc("web", "app", "700m") + vpaDoc("web2", "app", "600m"), out: []string{"1000m -> 800m"}},

		// Facts.
		{name: "throttled", args: []string{"web.yaml", "--request", "app:cpu=700m", "--throttled", "app"}, out: []string{"1000m -> 1000m", "must not decrease", "--throttled app applies to Deployment default/web", "No request changes"}},
		{name: "throttled, named", args: []string{"web.yaml", "--request", "app:cpu=700m", "--throttled=Deployment/web/app"}, out: []string{"must not decrease"}},
		{name: "throttled nobody", args: []string{"web.yaml", "--request", "app:cpu=700m", "--throttled", "Deployment/web/side"}, code: 1, err: []string{"--throttled Deployment/web/side: the template of Deployment default/web has no container side"}},
		{name: "oom-killed", args: []string{"web.yaml", "--request", "app:cpu=700m,memory=512Mi", "--oom-killed", "app"}, out: []string{"1000m -> 700m", "1024Mi -> 1024Mi"}},
		{name: "oom-killed nobody", args: []string{"web.yaml", "--oom-killed", "side"}, code: 1, err: []string{"found no workload with a container side"}},
		{name: "oom-killed in a status", args: []string{"-", "--request", "app:memory=512Mi"}, stdin: web("1", 50) + killedPod, out: []string{"pod web-1: container app was OOM-killed; its memory request must not decrease", "1024Mi -> 1024Mi"}},
		{name: "max-replicas-reached", args: []string{"--max-replicas-reached", "web.yaml", "--request", "app:cpu=700m"}, out: []string{"Skip (max-replicas-reached)", "--max-replicas-reached applies to Deployment default/web"}, why: "what follows is a file"},
		{name: "max-replicas-reached, named", args: []string{"--max-replicas-reached", "Deployment/web", "web.yaml", "--request", "app:cpu=700m"}, out: []string{"Skip (max-replicas-reached)"}},
		{name: "max-replicas-reached, or a directory", args: []string{"--max-replicas-reached", "deploy/prod", "--request", "app:cpu=700m"}, code: 2, err: []string{"is a file or directory too; expected --max-replicas-reached=deploy/prod for the workload, ./deploy/prod for the file"}, why: "nobody knows which is meant"},
		{name: "max-replicas-reached, and the directory", args: []string{"--max-replicas-reached", "./deploy/prod", "--request", "app:cpu=700m"}, out: []string{"Skip (max-replicas-reached)", "Deployment default/web"}},
		{name: "max-replicas-reached, not the directory", args: []string{"--max-replicas-reached=deploy/web", "deploy/prod", "--request", "app:cpu=700m"}, out: []string{"Skip (max-replicas-reached)"}},
		{name: "max-replicas-reached elsewhere", args: []string{"--max-replicas-reached=Deployment/api", "-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + api("Deployment"), out: []string{"50% -> 71%"}, not: []string{"Skip"}},
		{name: "max-replicas-reached nowhere", args: []string{"--max-replicas-reached=Deployment/none", "web.yaml"}, code: 1, err: []string{"found no Deployment none"}},
		{name: "max-replicas-reached nonsense", args: []string{"--max-replicas-reached=web"}, code: 2, err: []string{"expected KIND/NAME or no value"}},

		// Policy and options.
		{name: "off by default", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)), out: []string{"blocked (coordination-off)", "1000m -> 700m", "50% -> 71%", "coordinate: true", "--coordinate"}, why: "the whole plan is shown"},
		{name: "--coordinate", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)), out: []string{"Coordinate, allowed"}},
		{name: "skipped, coordination off", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50), external("lag", "30")), out: []string{"Deployment default/web: Skip (unsupported-metrics), blocked\n", "Without the skip it would be blocked: coordination-off."}, not: []string{"coordinate: true", "what would be done"}, why: "nothing would be done, and switching it on changes nothing"},
		{name: "skipped for its limit", args: []string{"-", "--request", "app:cpu=200m", "--limit", "app:cpu=200m", "--coordinate"}, stdin: deployment(box{"app", "500m/500m", ""}) + hpa(utilization("cpu", 80)), out: []string{"Skip (target-out-of-bounds), blocked\n", "Next: Give a higher limit after the change"}, not: []string{"widen the bounds", "Without the skip", "waits for a change"}},
		{name: "skipped for reach", args: []string{"-", "--request", "app:cpu=500m", "--limit", "app:cpu=800m", "--bounds", "40-150", "--coordinate"}, stdin: deployment(box{"app", "1000m/2000m", ""}) + hpa(utilization("cpu", 80)), out: []string{"Cause, reach", "a wider maximum makes it worse"}, not: []string{"widen the bounds"}},
		{name: "--coordinate=false", args: []string{"web.yaml", "--request", "app:cpu=700m", "--coordinate=false"}, out: []string{"Coordinate, allowed"}, why: "the flag only adds"},
		{name: "--coordinate=maybe", args: []string{"--coordinate=maybe"}, code: 2, err: []string{"expected no value, true or false"}},
		{name: "bounds of the policy", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)) + "---\nspec: {hpa: {targetBounds: {maxUtilization: 70}}}\n", out: []string{"blocked (policy-bounds)"}, why: "--coordinate keeps them"},
		{name: "policy elsewhere", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)) + "---\nmetadata: {namespace: prod}\nspec: {hpa: {coordinate: true}}\n", out: []string{"blocked (coordination-off)"}},
		{name: "two policies", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + policyOn, code: 1, err: []string{"found a second policy for namespace default"}, out: []string{"blocked (coordination-off)", "the policy of namespace default is not known, so coordination counts as off"}},
		{name: "policy with a fault", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)) + "---\nspec: {hpa: {coordinate: 1}}\n", code: 1, err: []string{"spec.hpa.coordinate: found the number 1, expected true or false"}, out: []string{"blocked (coordination-off)"}},
		{name: "policy that cannot be meant", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)) + "---\nspec: {hpa: {coordinate: true, targetBounds: {minUtilization: 80, maxUtilization: 50}}}\n", code: 1, err: []string{"spec.hpa.targetBounds.maxUtilization: Invalid value: 50"}, out: []string{"blocked (coordination-off)"}},
		{name: "two policies, and --coordinate", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: web("1", 50) + policyOn, code: 1, err: []string{"found a second policy for namespace default, expected one; the first is at standard input:19: document 3"}, out: []string{"blocked (coordination-off)", "so coordination counts as off, with --coordinate too", "Mend the policy of namespace default first"}, not: []string{"stays", "run again with --coordinate"}},
		{name: "policy with a fault, and --coordinate", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)) + "---\nspec: {hpa: {coordinate: 1}}\n", code: 1, err: []string{"spec.hpa.coordinate: found the number 1"}, out: []string{"blocked (coordination-off)"}},
		{name: "policy that cannot be meant, and --coordinate", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)) + "---\nspec:\n  hpa:\n    targetBounds:\n      minUtilization: 90\n      maxUtilization: 60\n", code: 1, err: []string{"standard input:23: document 3: spec.hpa.targetBounds.maxUtilization: Invalid value: 60"}, out: []string{"blocked (coordination-off)"}},
		{name: "policy in the shape of another kind", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + "---\n{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {hpa: {coordinate: false}}}\n", code: 1, err: []string{"found a second policy for namespace default"}, out: []string{"blocked (coordination-off)"}, why: "its content makes it a policy"},
		{name: "--bounds", args: []string{"web.yaml", "--request", "app:cpu=700m", "--bounds", "40-60"}, out: []string{"50% -> 60%", "1000m -> 834m", "held at the maximum, 60% (the target bounds that were given)"}},
		{name: "--bounds reversed", args: []string{"--bounds", "90-40"}, code: 2, err: []string{"expected two whole percent such as 40-90"}},
		{name: "--bounds with a sign", args: []string{"--bounds", "+40-90"}, code: 2, err: []string{"expected two whole percent"}},
		{name: "--bounds with a sign behind", args: []string{"--bounds", "40-+90"}, code: 2, err: []string{"expected two whole percent"}},
		{name: "--bounds from 0", args: []string{"--bounds", "0-90"}, code: 2, err: []string{"at least 1"}},
		{name: "--bounds beyond int32", args: []string{"--bounds", "1-3000000000"}, code: 2, err: []string{"expected two whole percent"}},
		{name: "--step", args: []string{"web.yaml", "--request", "app:cpu=691m,memory=500Mi", "--step", "cpu=10m,memory=16Mi"}, out: []string{"1000m -> 700m", "1024Mi -> 512Mi", "rounded up to the step"}},
		{name: "--step of 0", args: []string{"--step", "cpu=0"}, code: 2, err: []string{"--step: Invalid value: \"0\": must be a whole number of millicores or bytes, at least 1"}},
		{name: "--step of a fraction", args: []string{"--step", "memory=100m"}, code: 2, err: []string{"--step: Invalid value: \"100m\""}},
		{name: "--step of something else", args: []string{"--step", "gpu=1"}, code: 2, err: []string{"expected cpu=AMOUNT or memory=AMOUNT"}},
		{name: "--tolerance", args: []string{"-", "--request", "app:cpu=500m", "--tolerance", "0.5", "-o", "json", "--coordinate"}, stdin: deployment(box{"app", "1000m/1000m", ""}) + hpa(utilization("cpu", 50)), out: []string{`"trigger": 136`}},
		{name: "--tolerance below 0", args: []string{"--tolerance", "-0.1"}, code: 2, err: []string{"expected a number such as 0.1"}},
		{name: "--tolerance nonsense", args: []string{"--tolerance", "ten"}, code: 2, err: []string{"expected a number such as 0.1"}},
		{name: "--auto-patch", args: []string{"web.yaml", "--request", "app:cpu=700m,memory=512Mi", "--auto-patch", "memory"}, out: []string{"Uncoupled, allowed", "1000m -> 1000m", "1024Mi -> 512Mi", "HPA web measures utilization of cpu, which is not in auto-patch"}},
		{name: "--auto-patch nothing", args: []string{"web.yaml", "--request", "app:cpu=700m", "--auto-patch="}, out: []string{"Uncoupled, allowed", "1000m -> 1000m"}},
		{name: "--auto-patch twice", args: []string{"--auto-patch", "cpu,cpu"}, code: 2, err: []string{"--auto-patch \"cpu,cpu\": cpu was given twice"}},
		{name: "--auto-patch nonsense", args: []string{"--auto-patch", "cpu,disk"}, code: 2, err: []string{"--auto-patch: Unsupported value: "}},
		{name: "--largest-node", args: []string{"web.yaml", "--request", "app:memory=16Gi", "--largest-node", "cpu=4,memory=8Gi"}, out: []string{"request-beyond-node"}},
		{name: "--largest-node below 0", args: []string{"--largest-node", "cpu=-4"}, code: 2, err: []string{"--largest-node: Invalid value: \"-4\""}},
		{name: "--kube-version", args: []string{"-", "--request", "app:cpu=700m", "--kube-version", "1.36"}, stdin: deployment(box{"app", "1", ""}) + strings.Replace(hpa(external("q", "1")), "maxReplicas", "minReplicas: 0\n  maxReplicas", 1), out: []string{"zero-needs-gate"}},
		{name: "--kube-version nonsense", args: []string{"--kube-version", "new"}, code: 2, err: []string{"expected a version such as 1.37.2"}},
		{name: "--read-only", args: []string{"web.yaml", "--request", "app:cpu=700m", "--read-only"}, out: []string{"blocked (read-only)", "The agent has no permission to patch HPAs."}},
		{name: "-o writes", args: []string{"web.yaml", "--request", "app:cpu=700m", "-o", "writes"}, out: []string{
			"# PATCH /apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web?fieldManager=kerf&force=true Content-Type: application/apply-patch+yaml\n{\"apiVersion\"",
			"# PATCH /apis/apps/v1/namespaces/default/deployments/web?fieldManager=kerf&force=true Content-Type: application/apply-patch+yaml\n{\"apiVersion\"", "?fieldManager=kerf-ledger&"},
			not: []string{"kubectl apply"}, why: "a manifest without owners is taken by force"},
		{name: "-o writes, blocked", args: []string{"web.yaml", "--request", "app:cpu=700m", "-o", "writes", "--read-only"}, out: []string{"blocked (read-only), so nothing is written"}, not: []string{"PATCH /apis/"}},
		{name: "-o writes, nothing to do", args: []string{"web.yaml", "--request", "app:cpu=1", "-o", "writes"}, out: []string{"# Nothing is to be written."}, not: []string{"PATCH /apis/"}},
		{name: "-o writes, hidden owners", args: []string{"-", "--request", "app:cpu=700m", "-o", "writes", "--coordinate"}, stdin: strings.ReplaceAll(web("1", 50), "metadata: {name: web}", "metadata: {name: web, uid: u}"),
			out: []string{"no writes are shown: metadata.managedFields of web are missing", "--show-managed-fields"}, not: []string{"PATCH /apis/"}},
		{name: "-o writes, unsafe order", args: []string{"-", "--request", "app:cpu=700m", "-o", "writes"}, stdin: strings.ReplaceAll(web("1", 50), "maxReplicas: 10", "maxReplicas: 10\n  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}"),
			out: []string{"# Between the two writes replicas may be taken away: the scale-down window is 0 seconds"}},
		{name: "--field-manager", args: []string{"web.yaml", "--request", "app:cpu=700m", "-o", "writes", "--field-manager", "a b&c"}, out: []string{"?fieldManager=a+b%26c&force=true", "?fieldManager=a+b%26c-ledger&"}},
		{name: "--field-manager is the owner", args: []string{"-", "--request", "app:cpu=600m", "--coordinate", "-o", "writes", "--field-manager", "sizer"}, stdin: strings.ReplaceAll(remembered, "manager: kerf", "manager: sizer"), out: []string{"fieldManager=sizer&force=false"}, not: []string{"force=true Content-Type: application/apply-patch+yaml\n{\"apiVersion\":\"autoscaling"}},
		{name: "nothing is remembered", args: []string{"-", "--request", "app:cpu=600m", "--coordinate", "-o", "writes"}, stdin: forgotten, out: []string{"blocked (stale), so nothing is written", "may be half a change"}, not: []string{"PATCH /apis/"}, why: "after a failed second write the anchor must not move"},
		{name: "--begin-anew", args: []string{"-", "--request", "app:cpu=600m", "--coordinate", "-o", "writes", "--begin-anew"}, stdin: forgotten, out: []string{"PATCH /apis/", "counts as the user's choice"}},
		{name: "--field-manager without a name", args: []string{"--field-manager="}, code: 2, err: []string{"expected a name of 1 to 121 printable characters"}},
		{name: "--field-manager of an escape", args: []string{"--field-manager=a\x1b"}, code: 2, err: []string{"printable"}},
		{name: "--field-manager too long", args: []string{"--field-manager", strings.Repeat("x", 122)}, code: 2, err: []string{"expected a name of 1 to 121"}},
		{name: "--rollback", args: []string{"-", "--rollback"}, stdin: remembered, out: []string{"Deployment default/web: rollback (Coordinate), allowed", "700m -> 1", "71% -> 50%", "2 writes; -o writes shows them."}},
		{name: "--rollback, named", args: []string{"--rollback", "deploy/web", "-"}, stdin: remembered + api("Deployment"), out: []string{"700m -> 1", "with nothing to undo, so left alone: 1 of 2 workloads"}},
		{name: "--rollback, named wrongly", args: []string{"--rollback=deploy/none", "-"}, stdin: remembered, code: 1, err: []string{"--rollback deploy/none: found no Deployment none"}},
		{name: "--rollback, and its HPA cannot be read", args: []string{"-", "--rollback"}, stdin: strings.Replace(remembered, "averageUtilization", "averageUtilisation", 1), code: 1, err: []string{"averageUtilisation", "Deployment default/web is not planned: its HorizontalPodAutoscaler default/web could not be read"}, not: []string{"rollback (Coordinate)"}, why: "half of it would be taken back"},
		{name: "--rollback nonsense", args: []string{"--rollback=web"}, code: 2, err: []string{"expected KIND/NAME or no value"}},
		{name: "--rollback of nothing", args: []string{"--rollback"}, out: []string{"Nothing is to be undone: no workload remembers a change"}},
		{name: "--rollback, read-only", args: []string{"-", "--rollback", "--read-only", "--exit-code"}, stdin: remembered, code: 3, out: []string{"rollback (Coordinate), blocked (read-only)", "700m -> 1"}, not: []string{"-o writes shows"}},
		{name: "--rollback after an edit", args: []string{"-", "--rollback", "--exit-code"}, stdin: strings.Replace(remembered, "cpu: 700m}}}]", "cpu: 900m}}}]", 1), code: 3, out: []string{"blocked (stale)", "900m -> 1", "holds neither the value before nor the one after"}},
		{name: "--rollback with new requests", args: []string{"--rollback", "--request", "app:cpu=1"}, code: 2, err: []string{"--rollback: nothing new is planned, so --request app:cpu=1 cannot be meant with it"}},
		{name: "--release with a table", args: []string{"--release", "--requests", "requests.csv"}, code: 2, err: []string{"--release: nothing new is planned, so --requests cannot be meant with it"}},
		{name: "--release with usage", args: []string{"--usage", "usage.csv", "--release"}, code: 2, err: []string{"so --usage cannot"}},
		{name: "--release with a fact", args: []string{"--release", "--throttled", "app"}, code: 2, err: []string{"so --throttled app cannot"}},
		{name: "--release with a policy", args: []string{"--release", "--coordinate"}, code: 2, err: []string{"so --coordinate cannot"}},
		{name: "--release with a start", args: []string{"--release", "--start-up", "app:cpu=1"}, code: 2, err: []string{"so --start-up"}},
		{name: "--release takes nothing", args: []string{"--release", "--retake"}, code: 2, err: []string{"--retake: a release takes nothing"}},
		{name: "--release", args: []string{"-", "--release"}, stdin: remembered, out: []string{"Deployment default/web: release (NoChange), allowed", "2 writes; -o writes shows them."}, not: []string{"700m ->"}},
		{name: "--release, named, and --rollback of all", args: []string{"-", "--release=Deployment/web", "--rollback"}, stdin: remembered, out: []string{"rollback-and-release (Coordinate), allowed", "700m -> 1", "71% -> 50%"}},
		{name: "--release of nothing", args: []string{"--release"}, out: []string{"of a release none has fields of kerf"}},
		{name: "--release, read-only", args: []string{"-", "--release", "--read-only"}, stdin: remembered, out: []string{"release (NoChange), blocked (read-only)"}},
		{name: "--release, hidden owners", args: []string{"-", "--release"}, stdin: strings.ReplaceAll(remembered, "managedFields:", "uid: u\n  hidden:"), out: []string{"no writes are shown", "Nothing is to be written."}},
		{name: "--retake", args: []string{"-", "--rollback", "--retake", "-o", "writes"}, stdin: strings.ReplaceAll(remembered, "manager: kerf, operation: Apply, apiVersion: autoscaling", "manager: kubectl-edit, operation: Update, apiVersion: autoscaling"), out: []string{"horizontalpodautoscalers/web?fieldManager=kerf&force=true"}},
		{name: "a change that was begun", args: []string{"-", "--request", "app:cpu=600m", "--coordinate"}, stdin: strings.Replace(strings.Replace(remembered, `"taken"`, `"unfinished": true, "taken"`, 1), "averageUtilization: 71", "averageUtilization: 50", 1),
			out: []string{"Deployment default/web: finish (Coordinate), allowed", "50% -> 71%", "700m -> 700m"}, why: "its other half comes before a new plan"},
		{name: "a ledger of something else", args: []string{"-", "--rollback"}, stdin: strings.Replace(remembered, `"taken"`, `"token"`, 1), code: 1, err: []string{"document 1: metadata.annotations[kube-rightsize.github.io/ledger]: is not a ledger"}},
		{name: "a ledger that cannot be meant", args: []string{"-", "--request", "app:cpu=600m"}, stdin: strings.Replace(remembered, `"from": 50`, `"from": 0`, 1), code: 1, err: []string{"change.targets[0].from: Invalid value: 0: must be at least 1"}},
		{name: "--exit-code, blocked", args: []string{"web.yaml", "--request", "app:cpu=700m", "--read-only", "--exit-code"}, code: 3, out: []string{"blocked (read-only)"}},
		{name: "--exit-code, skipped", args: []string{"web.yaml", "--request", "app:cpu=700m", "--max-replicas-reached", "--exit-code"}, code: 3, out: []string{"Skip"}},
		{name: "--exit-code, allowed", args: []string{"--exit-code"}, out: []string{"1 allowed"}},
		{name: "--exit-code, and a fault", args: []string{"none.yaml", "--exit-code"}, code: 1, err: []string{"cannot be read"}, why: "a fault goes before"},

		// Documents.
		{name: "HPA of autoscaling/v1", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpaV1(""), out: []string{"50% -> 71%"}},
		{name: "v1 annotation", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpaV1(`[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":70}}]`), out: []string{"unsupported-metrics"}},
		{name: "broken v1 annotation", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpaV1(`[{`), code: 1, err: []string{"metadata.annotations[autoscaling.alpha.kubernetes.io/metrics]", "Deployment default/web is not planned: its HorizontalPodAutoscaler default/web could not be read"}, why: "the entries that nobody can read may matter"},
		{name: "HPA with a fault", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 0)), code: 1, err: []string{"standard input:17: document 2: spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0", "Deployment default/web is not planned: its HorizontalPodAutoscaler default/web is not valid"}},
		{name: "HPA that cannot be read", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(`{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilisation: 50}}}`) + api("Deployment"), code: 1, err: []string{"averageUtilisation", "Deployment default/web is not planned: its HorizontalPodAutoscaler default/web could not be read"}, out: []string{"Deployment default/api: Uncoupled"}, why: "without its HPA the workload would look free"},
		{name: "HPA of nobody knows whom", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: x}\nspec: {scaleTargetRef: [], maxReplicas: 3}\n", code: 1, err: []string{"HorizontalPodAutoscaler default/x could not be read and may scale it"}},
		{name: "HPA without spec", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: x}\n", code: 1, err: []string{"standard input:11: document 2: spec.maxReplicas: Required value", "spec.scaleTargetRef.kind: Required value", "Deployment default/web is not planned: HorizontalPodAutoscaler default/x is not valid and may scale it"}, not: []string{"Uncoupled", "scales  ,"}, why: "it cannot be meant, and nobody knows for whom"},
		{name: "HPA of half a reference", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + strings.Replace(hpa(utilization("cpu", 50)), "kind: Deployment, ", "", 1), code: 1, err: []string{"standard input:15: document 2: spec.scaleTargetRef.kind: Required value", "HorizontalPodAutoscaler default/web is not valid and may scale it"}, not: []string{"Uncoupled"}},
		{name: "HPA of half a reference, of another namespace", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + strings.Replace(strings.Replace(hpa(utilization("cpu", 50)), "kind: Deployment, ", "", 1), "{name: web}", "{name: web, namespace: prod}", 1), code: 1, err: []string{"spec.scaleTargetRef.kind: Required value"}, out: []string{"Uncoupled, allowed"}},
		{name: "HPA of half a reference, beside a whole one", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + strings.Replace(hpaDoc("x", "Deployment", "web", utilization("cpu", 50)), "kind: Deployment, ", "", 1), code: 1, err: []string{"spec.scaleTargetRef.kind: Required value"}, out: []string{"50% -> 71%", "Note: HorizontalPodAutoscaler default/x is not valid and may scale it too"}},
		{name: "HPA with a fault, of nobody", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpaDoc("x", "Deployment", "api", utilization("cpu", 0)), code: 1, err: []string{"document 2: spec.metrics[0].resource.target.averageUtilization: Invalid value: 0"}, out: []string{"Uncoupled, allowed"}, not: []string{"not among the workloads"}, why: "a fault is a fault, and web is not concerned"},
		{name: "HPA of autoscaling/v1 with a fault", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + strings.Replace(hpaV1(`[{"type":"External"}]`), "Percentage: 50", "Percentage: 0", 1), code: 1, err: []string{
			"document 2: spec.targetCPUUtilizationPercentage: Invalid value: 0", "document 2: metadata.annotations[autoscaling.alpha.kubernetes.io/metrics]: Required value", "is not valid"}, not: []string{"spec.metrics"}, why: "paths of the document"},
		{name: "HPA twice", args: []string{"web.yaml", "-", "--request", "app:cpu=700m"}, stdin: hpa(utilization("cpu", 60)), code: 1, err: []string{"standard input:2: document 1: found a second HorizontalPodAutoscaler default/web, expected one; the first is at web.yaml:11: document 2", "Deployment default/web is not planned: its HorizontalPodAutoscaler default/web is there twice"}, not: []string{"stays"}},
		{name: "LimitRange twice", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + strings.Repeat("---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\n", 2), code: 1, err: []string{"found a second LimitRange default/l"}, out: []string{"50% -> 71%", "LimitRange default/l is there twice; the first is taken"}},
		{name: "recommender twice", args: []string{"-"}, stdin: web("1", 50) + vpaDoc("v", "app", "700m") + vpaDoc("v", "app", "600m"), code: 1, err: []string{"found a second VerticalPodAutoscaler default/v"}, out: []string{"1000m -> 700m", "VerticalPodAutoscaler default/v is there twice; the first is taken"}},
		{name: "HPA of something else", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + hpaDoc("other", "Deployment", "other", utilization("cpu", 50)), out: []string{"HorizontalPodAutoscaler default/other scales Deployment other, which is not among the workloads that were read"}},
		{name: "HPA of another API group", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: x}\nspec: {scaleTargetRef: {apiVersion: extensions/v1beta1, kind: Deployment, name: web}, maxReplicas: 3}\n", code: 1, err: []string{"spec.scaleTargetRef"}, why: "the HPA controller would not find it; nobody may take it for uncoupled"},
		{name: "two HPAs", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpa(utilization("cpu", 50)) + hpaDoc("b", "Deployment", "web", utilization("memory", 60)), out: []string{"hpa-ambiguous", "Skip (unsupported-metrics)", "Next: Delete all HPAs of the workload but one (b, web)"}},
		{name: "HPA without entries", args: []string{"-", "--request", "app:cpu=900m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpa(), out: []string{"80% -> 89%"}, why: "the API server makes it cpu 80"},
		{name: "DaemonSet with HPA", args: []string{"-", "--request", "app:cpu=200m"}, stdin: api("DaemonSet") + hpaDoc("a", "DaemonSet", "api", utilization("cpu", 50)), out: []string{"Uncoupled, allowed", "No HPA scales a DaemonSet"}},
		{name: "StatefulSet", args: []string{"-", "--request", "app:cpu=200m", "--coordinate"}, stdin: api("StatefulSet") + hpaDoc("a", "StatefulSet", "api", utilization("cpu", 50)), out: []string{"StatefulSet default/api: Coordinate, allowed", "50% -> 75%"}},
		{name: "ReplicaSet", args: []string{"-", "--request", "rs/api/app:cpu=200m", "--coordinate"}, stdin: api("ReplicaSet") + hpaDoc("a", "ReplicaSet", "api", utilization("cpu", 50)), out: []string{"ReplicaSet default/api: Coordinate, allowed"}},
		{name: "ReplicaSet of a Deployment", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + ownedReplicaSet, out: []string{"1 workload planned"}, not: []string{"ReplicaSet default"}},
		{name: "ReplicaSet of a Deployment, named", args: []string{"-", "--request", "rs/web-1/app:cpu=700m"}, stdin: web("1", 50) + ownedReplicaSet, code: 1, err: []string{"ReplicaSet default/web-1 belongs to a controller; name that"}},
		{name: "LimitRange", args: []string{"-", "--request", "app:cpu=400m", "--coordinate"}, stdin: deployment(box{"app", "", ""}) + hpa(utilization("cpu", 50)) + "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, defaultRequest: {cpu: 500m}}]}\n", out: []string{"500m -> 400m", "LimitRange's default", "50% -> 62%"}},
		{name: "HPA on memory", args: []string{"-", "--request", "app:memory=700Mi", "--coordinate"}, stdin: deployment(box{"app", "1", "1Gi"}) + hpa(utilization("memory", 50)), out: []string{"1024Mi x 50% = 512Mi before, 700Mi x 73% = 511Mi after (-0.20%)"}},
		{name: "HPA on one container", args: []string{"-", "--request", "app:cpu=700m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}) + hpa(perContainer("app", "cpu", 50)), out: []string{"HPA web, container app", "Skip (unsupported-metrics)"}},
		{name: "HPA on something else", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1", ""}) + hpa(external("lag", "30"), raw("cpu", "1")), out: []string{"HPA web measures no utilization of cpu or memory (External lag, Resource cpu as AverageValue)"}},
		{name: "many names", args: []string{"-", "--request", "app:cpu=700m"}, stdin: many(12), out: []string{"Deployment default/w08, Deployment default/w09 and 2 more"}},
		{name: "usage of pods", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + "---\n{apiVersion: metrics.k8s.io/v1beta1, kind: PodMetrics, metadata: {name: p}}\n", out: []string{"this kind plays no part: PodMetrics default/p"}},
		{name: "limit of a strange kind", args: []string{"--max-replicas-reached=Job/web"}, code: 2, err: []string{`found the kind "Job"`}},
		{name: "limit twice", args: []string{"--limit", "app:cpu=1", "--limit", "app:cpu=1"}, code: 2, err: []string{"the cpu limit of this container was given before"}},
		{name: "missing request", args: []string{"-", "--request", "app:cpu=400m", "--coordinate"}, stdin: deployment(box{"app", "1", ""}, box{"side", "", ""}) + hpa(utilization("cpu", 50)), out: []string{"Skip (missing-request)", "Without a request of its own: side."}},
		{name: "missing request of the pod", args: []string{"-", "--request", "app:cpu=400m", "--coordinate"}, stdin: strings.Replace(podLevel, "cpu: 1000m", "cpu: 0", 1) + hpa(utilization("cpu", 50)), out: []string{"Skip (missing-request)", "Without a request of its own: the pod."}},
		{name: "other kinds", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + "---\n{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: prod}}\n", out: []string{"skipped, since this kind plays no part: Secret prod/s"}},
		{name: "broken YAML", args: []string{"-", "--request", "app:cpu=700m"}, stdin: web("1", 50) + "---\n a: [\n", code: 1, err: []string{"document 4: not valid YAML"}, out: []string{"50% -> 71%"}},
		{name: "broken amount", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1x", ""}) + api("Deployment"), code: 1, err: []string{"spec.template.spec.containers[0].resources.requests.cpu", "expected a quantity"}, out: []string{"Deployment default/api"}},
		{name: "broken workload, named", args: []string{"-", "--request", "deploy/web/app:cpu=700m"}, stdin: deployment(box{"app", "1x", ""}), code: 1, err: []string{"found \"1x\", expected a quantity"}, out: []string{"found no Deployment web; could not be read: Deployment default/web", "1 fault in the input"}, not: []string{"request Deployment"}, why: "one fault, which says all"},
		{name: "broken workload, every workload", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "1x", ""}) + hpa(utilization("cpu", 50)), code: 1, err: []string{"found \"1x\", expected a quantity"}, out: []string{"found no workload with a container app; could not be read: Deployment default/web", "1 fault in the input"}, not: []string{"scales Deployment web"}, why: "nor is its HPA a stray"},
		{name: "workload twice, and a container of neither", args: []string{"-", "--request", "side:cpu=1"}, stdin: deployment(box{"app", "1", ""}) + deployment(box{"app", "2", ""}), code: 1, err: []string{"found a second Deployment default/web", "--request side:cpu=1: found no workload with a container side"}, why: "both could be read"},
		{name: "broken workload, of another namespace", args: []string{"-", "--requests", "stray.csv"}, stdin: deployment(box{"app", "1x", ""}), code: 1, err: []string{"found \"1x\", expected a quantity", "stray.csv:2: request: found no Deployment prod/web"}, out: []string{"2 faults in the input"}},
		{name: "amount below 0", args: []string{"-", "--request", "app:cpu=700m"}, stdin: deployment(box{"app", "-1", ""}), code: 1, err: []string{"standard input:9: document 1: spec.template.spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must not be negative"}},
		{name: "requests beyond the pod's own", args: []string{"-", "--request", "app:cpu=1500m,memory=1Gi", "--throttled", "app"}, stdin: podLevel + hpa(utilization("cpu", 50)), code: 1, err: []string{"standard input:8: document 1: spec.template.spec.resources.requests[cpu]: with --request app:cpu=1500m,memory=1Gi: Invalid value: \"cpu\": the containers' requests no longer fit the pod-level request of 1"}, why: "a path of the document, and the flag that asked"},
		{name: "request sum beyond all", args: []string{"-", "--request", "app:cpu=9223372036854775", "--request", "side:cpu=9223372036854775"}, stdin: deployment(box{"app", "1", ""}, box{"side", "1", ""}) + hpa(utilization("cpu", 50)), code: 1, err: []string{"standard input:9: document 1: spec.template.spec.containers: Invalid value: \"cpu\": the new request sum"}},
		{name: "request above its limit", args: []string{"-", "--request", "app:memory=1Gi"}, stdin: deployment(box{"app", "2/1", ""}), code: 1, err: []string{"must be at or below the limit of 1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := call(row.stdin, row.args...)
			require.Equal(t, row.code, got.code, got.errors)
			for _, part := range row.out {
				require.Contains(t, got.out, part, row.why)
			}
			for _, part := range row.err {
				require.Contains(t, got.errors, part, row.why)
			}
			for _, part := range row.not {
				require.NotContains(t, got.out+got.errors, part, row.why)
			}
			if len(row.err) == 0 {
				require.Empty(t, got.errors)
			}
			if row.code == exitFlags {
				require.Empty(t, got.out)
			}
			require.Equal(t, got, call(row.stdin, row.args...), "equal twice")
		})
	}
}

func vpaDoc(name, container, cpu string) string {
	return `---
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: ` + name + `}
spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, updatePolicy: {updateMode: "Off"}}
status: {recommendation: {containerRecommendations: [{containerName: ` + container + `, target: {cpu: "` + cpu + `"}}]}}
`
}

func hpaV1(metrics string) string {
	annotations := ""
	if metrics != "" {
		annotations = ", annotations: {autoscaling.alpha.kubernetes.io/metrics: '" + metrics + "'}"
	}
	return `---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web` + annotations + `}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 5, targetCPUUtilizationPercentage: 50}
`
}

const killedPod = `---
apiVersion: v1
kind: Pod
metadata: {name: web-1, labels: {app: web}}
spec:
  containers:
  - {name: app, resources: {requests: {cpu: 500m}}}
status:
  phase: Running
  containerStatuses:
  - {name: app, lastState: {terminated: {reason: OOMKilled, exitCode: 137}}}
`

const ownedReplicaSet = `---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u1, controller: true}]}
spec:
  template:
    spec:
      containers: [{name: app, resources: {requests: {cpu: "1"}}}]
`

func many(n int) (docs string) {
	for i := range n {
		docs += workloadDoc("Deployment", fmt.Sprintf("w%02d", i), box{"app", "1", ""})
	}
	return docs
}
