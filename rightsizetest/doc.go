// Package rightsizetest checks the laws of this module on somebody else's planner or controller, in his own CI.
//
//	func TestMyPlanner(t *testing.T)    { rightsizetest.CheckPlan(t, myPlanner) }
//	func TestMyController(t *testing.T) { rightsizetest.CheckChange(t, myController) }
//	func TestMyFormula(t *testing.T)    { rightsizetest.CheckSums(t, myFormula, rightsizetest.SumBounds{}) }
//
// [CheckPlan] takes whatever turns an [hpacouple.Input] into an [hpacouple.Result], [CheckChange] whatever writes an [hpacouple.Change] to
// objects, [CheckSums] a formula of four numbers. Each law is a subtest of its own (go test -run TestMyPlanner/H8); one that is broken prints
// the law, the numbers, and the smallest input that was found for it. The flags are those of package rapid: -rapid.checks, -rapid.seed.
//
// The generators are exported as well: [Inputs] and its parts [Templates], [HPAs], [Recommendations], [States] draw what clusters hold, biased
// to where rules act; [HostileInputs], [HostileHPAs] and [HostileStates] draw anything that the types allow.
//
// The package is for tests: it imports rapid and testify, which the rest of the module does not.
package rightsizetest
