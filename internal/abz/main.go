package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

func main() {
	r, err := results.Read(filepath.Join(os.Args[1], "results.json"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Parameters.Profile, len(r.Parameters.Structures), r.Seconds, r.Parameters.Budget)
	for _, c := range r.Cells {
		var all, alike [][]stats.Sample
		var names []string
		var rows []results.Row
		floor := 0.0
		for _, row := range c.Rows {
			if row.Role == results.RoleStructure || row.Role == results.RoleControl {
				alike = append(alike, results.Samples(row.Cost))
			}
			if row.Role == results.RoleStructure {
				all, names, rows = append(all, results.Samples(row.Cost)), append(names, row.Structure), append(rows, row)
			}
		}
		o := stats.Options{Looks: stats.RaceLooks, Prior: stats.PoolRatios(alike)}
		for _, row := range c.Rows {
			if row.Role == results.RoleControl {
				for i := range rows {
					if names[i] == row.Of {
						floor = stats.Floor(all[i], results.Samples(row.Cost), o)
						most := 0
						for _, a := range alike {
							most = max(most, len(a))
						}
						var near [][]stats.Sample
						for _, a := range alike {
							if len(a) == most {
								near = append(near, a)
							}
						}
						o2 := o
						o2.Prior = stats.PoolRatios(near)
						r1, _ := stats.Paired(all[i], results.Samples(row.Cost), o)
						r2, _ := stats.Paired(all[i], results.Samples(row.Cost), o2)
						r3, _ := stats.Paired(all[i], results.Samples(row.Cost), stats.Options{})
						fmt.Printf("   A/A %s center %.3f se prior %.4f df %.0f | near(%d) %.4f df %.0f | own %.4f df %.0f; floors %.3f %.3f %.3f\n", row.Of, r1.Center, r1.SE, r1.DF, len(near), r2.SE, r2.DF, r3.SE, r3.DF, floor, stats.Floor(all[i], results.Samples(row.Cost), o2), stats.Floor(all[i], results.Samples(row.Cost), stats.Options{}))
					}
				}
			}
		}
		in, unclear, most := 0, 0, 0
		said := ""
		for i, s := range stats.Best(all, floor, o) {
			most = max(most, len(all[i]))
			if s.InBest {
				in++
				k := "?"
				if s.Known {
					k = "="
				} else {
					unclear++
				}
				said += fmt.Sprintf(" %s%s%.3f[%.2f-%.2f]%d", names[i], k, s.ToBest.Center, s.ToBest.Lo, s.ToBest.Hi, len(all[i]))
			}
		}
		fmt.Printf("%-18s %8d in %2d unclear %2d floor %.3f rounds %d sec %.1f:%s\n", c.Workload, c.N, in, unclear, floor, most, c.Seconds, said)
	}
}
