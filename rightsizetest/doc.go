// Package rightsizetest checks the laws of this module on somebody else's code, in his own CI: planners, controllers, agents, recommenders,
// quantiles, histograms, and simulations of the HPA.
//
//	func TestMyPlanner(t *testing.T)     { rightsizetest.CheckPlan(t, myPlanner) }
//	func TestMyFormula(t *testing.T)     { rightsizetest.CheckSums(t, myFormula, rightsizetest.SumBounds{}) }
//	func TestMyController(t *testing.T)  { rightsizetest.CheckChange(t, myController) }
//	func TestMyAgent(t *testing.T)       { rightsizetest.CheckAdmit(t, myAgent) }
//	func TestMyRelease(t *testing.T)     { rightsizetest.CheckRelease(t, myController, myRelease) }
//	func TestMyRecommender(t *testing.T) { rightsizetest.CheckRecommend(t, rightsizetest.Formula(myRequest).Recommender()) }
//	func TestMyQuantile(t *testing.T)    { rightsizetest.CheckQuantile(t, myQuantile, usage.NearestRank) }
//	func TestMyHistogram(t *testing.T)   { rightsizetest.CheckHistogram(t, myHistogram) }
//	func TestMyHPA(t *testing.T)         { rightsizetest.CheckReplicas(t, mySimulation) }
//
// Each law is a subtest of its own (go test -run TestMyPlanner/H8); one that is broken prints the law, what it demands, the numbers, and the
// smallest input that was found for it. The flags are those of package rapid: -rapid.checks, -rapid.seed. A check takes the laws to be checked
// as its last arguments, for who means to break one. Every law is a property as well, Property(law), for fuzz targets by rapid.MakeFuzz.
//
// The generators are exported. Of what clusters hold, biased to where rules act: [Inputs] and its parts [Templates], [HPAs], [Recommendations],
// [States], then [Changes], [UsageInputs] and its parts [SeriesOf], [Policies], then [Strategies], [Windows], [Values], [Passes]. Of anything that
// the types allow: [HostileInputs], [HostileTemplates], [HostileHPAs], [HostileRecommendations], [HostileStates], [HostileChanges],
// [HostileUsageInputs], [HostileSeries], [HostilePolicies], [HostileStrategies], [HostileWindows], [HostileValues], [HostilePasses].
//
// The package is for tests: it imports rapid and testify, which the rest of the module does not.
package rightsizetest
