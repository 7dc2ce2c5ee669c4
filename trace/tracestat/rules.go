package tracestat

import (
	"cmp"
	"fmt"

	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/trace"
)

// Rule is a way to use timers that has a better one.
type Rule struct {
	Pattern   string
	Evidence  string // in the trace, of one place in the program
	Threshold string // chosen: below it, the pattern is rare or cheap
	Remedy    string
	Others    map[trace.Form]string // other remedies, by the form of the timers
	Source    string                // of the remedy

	// found returns the evidence of the pattern at a place, or "".
	found func(*Summary, Site) string
}

// The thresholds of the rules.
const (
	often     = 100  // a second
	nearlyAll = 0.95 // of the timers
	early     = 0.9  // of the delay is left
	many      = 100  // timers
	herd      = 1000 // timers at once
	ticks     = 3600 // wake-ups an hour
	wakeup    = 1000 // moves, which cost about twice as much
)

// lessOften is the remedy for deadlines of package net.
const lessOften = "Do not clear a deadline of package net between two calls, and set it again only when less than half of it is left."

// RemedyFor returns the remedy for timers of a form.
func (r *Rule) RemedyFor(f trace.Form) string { return cmp.Or(r.Others[f], r.Remedy) }

// Rules lists all rules. The patterns that cost a busy program the most come first.
var Rules = []Rule{
	{
		Pattern:   "set and stopped each time",
		Evidence:  "timers that are stopped long before they are due",
		Threshold: fmt.Sprintf("%d timers a second, %s stopped, with %s of the delay left", often, show.Percent(nearlyAll), show.Percent(early)),
		Remedy: "Keep one timer for the connection or worker and Reset it. A context.WithTimeout cannot be Reset: give one context to " +
			"calls that may share a deadline.",
		Others: map[trace.Form]string{trace.DeadlineForm: lessOften},
		Source: "https://pkg.go.dev/time#Timer.Reset",
		found: func(s *Summary, p Site) string {
			if p.Reset || perSecond(s, p.Timers) < often || p.CancelRate() < nearlyAll || p.Left.P50 < early*p.Delays.P50 {
				return ""
			}
			return fmt.Sprintf("%s timers, %s a second, %s stopped, half of them %s early", show.Grouped(p.Timers),
				show.Figure(perSecond(s, p.Timers)), show.Percent(p.CancelRate()), show.Duration(p.Left.P50))
		},
	},
	{
		Pattern:   "moved on and on",
		Evidence:  "timers that are moved to a later deadline more often than they are set",
		Threshold: fmt.Sprintf("%d moves to a later deadline a second, more moves than timers, and %s for each wake-up that the remedy adds", often, show.Grouped(wakeup)),
		Remedy: "Store the new deadline in a field, and leave the timer where it is. When it fires early, set it to the stored deadline. " +
			"The driver does that itself.",
		Others: map[trace.Form]string{trace.DeadlineForm: lessOften},
		Source: "https://github.com/nginx/nginx/blob/0711b40ab4f0ae5dd391da98f09267127f0a228d/src/event/ngx_event_timer.h",
		found: func(s *Summary, p Site) string {
			added := p.Wakeups[Lazily] - p.Wakeups[OnTime]
			if p.Form == trace.DriverForm || perSecond(s, p.Later) < often || p.Later < p.Timers || float64(p.Later) < wakeup*added {
				return ""
			}
			return fmt.Sprintf("%s moves to a later deadline, %s a second, of %s", show.Grouped(p.Later),
				show.Figure(perSecond(s, p.Later)), show.Count(p.Timers, "timer"))
		},
	},
	{
		Pattern:   "time.After that nobody waits for",
		Evidence:  "channels that nobody stops, and for which nobody waits any more when they are due",
		Threshold: fmt.Sprintf("%d pending on average, 1 %% stopped, nobody waits for half of them", many),
		Remedy: "Make one time.Timer before the loop and Reset it in the loop. Since Go 1.23 the collector frees what nobody waits for; " +
			"before, it stays until it is due.",
		Source: "https://go.dev/wiki/Go123Timer",
		found: func(_ *Summary, p Site) string {
			if p.Form != trace.ChannelForm || p.Pending < many || p.CancelRate() > 0.01 || p.Unread < 0.5 {
				return ""
			}
			return fmt.Sprintf("%s channels, %.0f not due on average, none stopped; nobody waited for %s when they were due",
				show.Grouped(p.Timers), p.Pending, show.Percent(p.Unread))
		},
	},
	{
		Pattern:   "thousands at once",
		Evidence:  "timers that fire at one wake-up",
		Threshold: fmt.Sprintf("%s timers", show.Grouped(herd)),
		Remedy:    "Add a random share of the delay, such as 5 %, to each delay.",
		Source:    "https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/",
		found: func(_ *Summary, p Site) string {
			if p.AtOnce < herd {
				return ""
			}
			return fmt.Sprintf("%s timers fire at one wake-up", show.Grouped(p.AtOnce))
		},
	},
	{
		Pattern:   "short ticker",
		Evidence:  "a ticker with a period of less than 10 ms, which \"trace build\" records exactly",
		Threshold: fmt.Sprintf("%s wake-ups an hour", show.Grouped(ticks)),
		Remedy: "A ticker wakes the process at each tick, even if there is nothing to do. Wait on the channel of the one who has work, " +
			"poll less often, or Stop the ticker while there is none. What-if: --tick 10ms.",
		Source: "https://pkg.go.dev/time#Ticker.Stop",
		found: func(s *Summary, p Site) string {
			if p.Period == 0 || s.PerHour(p.Wakes) < ticks*0.95 {
				return ""
			}
			return fmt.Sprintf("with a period of %v, %s of the wake-ups an hour at which timers fire (%s in all)", p.Period,
				show.Figure(s.PerHour(p.Wakes)), show.Figure(s.PerHour(s.Wakeups())))
		},
	},
	{
		Pattern:   "wakes an idle process",
		Evidence:  "timers that are set again when they fire, always with the same delay",
		Threshold: fmt.Sprintf("%s wake-ups an hour, 90 %% of the timers fire", show.Grouped(ticks)),
		Remedy: "Stop the ticker while there is nothing to do, or give it a longer period. Tickers of one period share wake-ups if they " +
			"start together. What-if: --tick 100ms.",
		Others: map[trace.Form]string{trace.SleepForm: "Wait on a channel or a sync.Cond instead of asking again after each Sleep, or sleep for longer. " +
			"What-if: --tick 100ms."},
		Source: "https://en.wikipedia.org/wiki/Timer_coalescing",
		found: func(s *Summary, p Site) string {
			repeats := p.Form == trace.TickerForm || float64(p.Repeats) >= 0.5*float64(p.Fired)
			steady := p.Delays.P99-p.Delays.P50 <= max(0.1*p.Delays.P50, 4*float64(s.Header.Tick))
			asleep := p.Unread >= 0.5 // nobody waits
			if !repeats || !steady || asleep || p.Period > 0 || p.Fired < 10 || p.CancelRate() > 0.1 || s.PerHour(p.Wakes) < ticks*0.95 {
				return ""
			}
			period := "with a period of " + show.Duration(p.Delays.P50)
			if p.Delays.P50 <= float64(s.Header.Tick) { // the trace does not tell shorter ones
				period = show.Figure(perSecond(s, p.Timers)) + " times a second"
			}
			return fmt.Sprintf("%s, %s of the wake-ups an hour at which timers fire (%s in all)", period,
				show.Figure(s.PerHour(p.Wakes)), show.Figure(s.PerHour(s.Wakeups())))
		},
	},
	{
		Pattern:   "no delay",
		Evidence:  "timers that are set for the next tick of the recording, as those with a delay of 0 or less",
		Threshold: "10 timers a second, half of all that the place sets",
		Remedy:    "Call the function, start a goroutine or send on the channel at once.",
		Source:    "https://pkg.go.dev/time#AfterFunc",
		found: func(s *Summary, p Site) string {
			if p.Form == trace.TickerForm || p.Form == trace.SleepForm || perSecond(s, p.Soon) < 10 || 2*p.Soon < p.Timers+p.Moves {
				return ""
			}
			return fmt.Sprintf("%s of %s are set for %v or less", show.Grouped(p.Soon), show.Grouped(p.Timers+p.Moves), s.Header.Tick)
		},
	},
	{
		Pattern:   "deadlines that pass",
		Evidence:  "deadlines of package net that are not cleared, and pass",
		Threshold: fmt.Sprintf("%s wake-ups an hour, half of the deadlines pass", show.Grouped(ticks)),
		Remedy: "A deadline that nobody cleared wakes the process, even if no call waits. Clear it after the last call, " +
			"SetWriteDeadline(time.Time{}), or set it further ahead and again only when less than half of it is left.",
		Source: "https://pkg.go.dev/net#Conn",
		found: func(s *Summary, p Site) string {
			if p.Form != trace.DeadlineForm || p.CancelRate() > 0.5 || s.PerHour(p.Wakes) < ticks*0.95 {
				return ""
			}
			return fmt.Sprintf("%s of %s pass, %s of the wake-ups an hour at which timers fire (%s in all)", show.Grouped(p.Fired),
				show.Count(p.Timers, "deadline"), show.Figure(s.PerHour(p.Wakes)), show.Figure(s.PerHour(s.Wakeups())))
		},
	},
	{
		Pattern:   "more and more",
		Evidence:  "timers that fire and are set again, while their number grows to the end of the recording",
		Threshold: fmt.Sprintf("%d timers at the end, a third more than on average, with a steady growth", many),
		Remedy:    "Let each timer set only itself again, and stop a ticker when the work that it serves ends.",
		Source:    "https://pkg.go.dev/time#Ticker.Stop",
		found: func(_ *Summary, p Site) string {
			if p.Kept < many || p.Fired < p.Kept || p.Pending > 0.75*float64(p.Kept) || p.Growth < 0.6 || p.Growth > 0.95 {
				return ""
			}
			return fmt.Sprintf("%s are pending at the end, %s on average", show.Count(p.Kept, "timer"), show.Figure(p.Pending))
		},
	},
	{
		Pattern:   "never stopped, never due",
		Evidence:  "timers that are still pending at the end of the recording, while their number grows steadily",
		Threshold: fmt.Sprintf("%d timers, 90 %% pending at the end", many),
		Remedy:    "Stop each timer, and cancel each context, when its work is done.",
		Source:    "https://pkg.go.dev/context#WithTimeout",
		found: func(_ *Summary, p Site) string {
			grows := p.Pending > 0.25*float64(p.Kept) && p.Pending < 0.75*float64(p.Kept)
			if p.Timers < many || float64(p.Kept) < 0.9*float64(p.Timers) || p.Moves > p.Timers || !grows {
				return ""
			}
			return fmt.Sprintf("%s of %s are pending at the end", show.Grouped(p.Kept), show.Count(p.Timers, "timer"))
		},
	},
}

func perSecond(s *Summary, n uint64) float64 { return s.PerHour(n) / 3600 }

// Finding is a pattern at a place in the program.
type Finding struct {
	Rule     *Rule
	Site     int // index of the summary's Sites
	Evidence string
}

// Find applies the rules to each place in the program.
func Find(s *Summary) (all []Finding) {
	for i, site := range s.Sites {
		for r := range Rules {
			if evidence := Rules[r].found(s, site); evidence != "" {
				all = append(all, Finding{&Rules[r], i, evidence})
			}
		}
	}
	return all
}
