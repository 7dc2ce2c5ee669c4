package report

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/internal/draw"
)

// harness says how far the figures can be trusted.
func harness(v *view) section {
	return section{
		title:  "Can these numbers be trusted?",
		lead:   v.machineLead(),
		charts: []*draw.Figure{v.driftChart()},
		tables: []table{
			{title: "What was examined of the machine", body: v.machineTable()},
			{
				lead: "**The floor** is a scheduler that does nothing. Its time is what the harness itself costs: " +
					"it is part of every other row, and is not taken off.",
				title: "The floor in every cell", body: v.floorTable(),
			},
			{lead: v.controlLead(), title: "The control in every cell", body: v.controlTable()},
			{lead: v.driftLead(), title: "Cells whose cost changed steadily", body: v.driftTable()},
			{title: "Rounds, and why there were no more", body: v.roundsTable()},
			{title: "Warnings about the samples of rounds, from benchmath", body: v.warningTable()},
			{
				lead: "**The proof.** Every replay had to account for each timer (scheduled = fired + cancelled + pending), and every exact structure " +
					"had to fire the same timers at the same ticks as the script or the trace says: the checksum is over tick and value of each. " +
					"A structure that rounds deadlines has a checksum of its own.",
				title: "What the replays agreed on", body: v.proofTable(),
			},
			{title: "What they agreed on under other seeds, untimed", body: v.seedTable()},
		},
	}
}

// floorTable shows what the harness itself costs, and its share of the fastest.
func (v *view) floorTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			a := v.analysis(c)
			for _, row := range c.Rows {
				s := v.cost(c, row)
				if row.Role != results.RoleFloor || !s.ok() {
					continue
				}
				share := "–"
				if r := a.toBest(c, row); r.Pairs > 0 {
					share = show.Percent(r.Center)
				}
				rows = append(rows, []string{literal(w), show.Short(float64(c.N)), literal(row.Structure), show.Figure(s.median), s.interval(), show.Figure(s.mean), share})
			}
		}
	}
	return markdownTable("lrlr", []string{"Workload", "N", "Floor", "Median ns", "95 % CI", "Overall mean ns", "Share of the fastest"}, rows)
}

// proofTable shows what each cell's replays agreed on.
func (v *view) proofTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			if len(c.Rows) == 0 {
				continue
			}
			p, agree := commonProof(c)
			sum := "holds"
			if p.Scheduled != p.Fired+p.Cancelled+p.Pending {
				sum = "**does not hold**"
			}
			rows = append(rows, []string{literal(w), show.Short(float64(c.N)), show.Figure(c.Resident), show.Percent(c.CancelRate),
				show.Grouped(p.Scheduled), show.Grouped(p.Fired), show.Grouped(p.Cancelled), show.Grouped(p.Pending), sum,
				fmt.Sprintf("`%016x`", p.Checksum), fmt.Sprintf("%d of %d", agree, len(c.Rows))})
		}
	}
	return markdownTable("lrrrrrrrllr", []string{"Workload", "N", "Mean resident", "Cancelled share", "Scheduled", "Fired", "Cancelled", "Pending", "Sum", "Checksum", "Rows that agree"}, rows)
}

// seedTable shows what replays under other seeds agreed on.
func (v *view) seedTable() string {
	var rows [][]string
	for _, w := range v.workloads() {
		for _, c := range v.cells(w) {
			for _, s := range c.OtherSeeds {
				p := s.Proof
				rows = append(rows, []string{literal(w), show.Short(float64(c.N)), fmt.Sprint(s.Seed),
					show.Grouped(p.Scheduled), show.Grouped(p.Fired), show.Grouped(p.Cancelled), show.Grouped(p.Pending),
					fmt.Sprintf("`%016x`", p.Checksum), fmt.Sprintf("%d of %d", s.Agree, s.Rows)})
			}
		}
	}
	return markdownTable("lrrrrrrlr", []string{"Workload", "N", "Seed", "Scheduled", "Fired", "Cancelled", "Pending", "Checksum", "Rows that agree"}, rows)
}

// commonProof is the proof that most rows of a cell hold, and how many do: a
// coarse structure may rightly fire later and so have a checksum of its own.
func commonProof(c results.Cell) (common script.Proof, agree int) {
	votes := make(map[script.Proof]int)
	for _, r := range c.Rows {
		votes[r.Proof]++
		if n := votes[r.Proof]; n > agree {
			common, agree = r.Proof, n
		}
	}
	return common, agree
}
