package bench
import ("testing";"fmt";"context";"time";"os";"strconv";"github.com/timerbench/timerbench/structures/catalog";"github.com/timerbench/timerbench/bench/workload")
func TestZZ(t *testing.T){
 p,_:=FindProfile("normal")
 cfg:=Config{Profile:p,Structures:catalog.All(),Trials:p.Trials,Seed:1}
 w,_:=workload.Find(os.Getenv("W")); n,_:=strconv.Atoi(os.Getenv("N"))
 es:=cfg.entries(n)
 c:=cfg.cell(w,n,MeasureClock())
 c.memory=os.Getenv("MEM")!=""
 ctx:=context.Background()
 r:=c.newCell(es)
 for _,row:=range r.rows{row.samples=newLatencies()}
 for i:=range 2{
 t0:=time.Now()
 if i==1{r.addControl("hwheel")
  for _,row:=range r.rows{row.samples=newLatencies()}}
 ps,err:=r.begin(ctx,r.racing()); if err!=nil{t.Fatal(err)}
 t1:=time.Now()
 if i==0 {ps.prove(ctx)}
 t2:=time.Now()
 var ta,ts time.Duration
 for k:=range 2{ a:=time.Now(); ps.ageTo(ctx,k); b:=time.Now(); ps.runSegment(ctx,k); ta+=b.Sub(a); ts+=time.Since(b)}
 t3:=time.Now()
 ps.finish(ctx); ps.end(); r.done++
 fmt.Println(w.Name,n,len(es),"fill",t1.Sub(t0).Round(1e6),"prove",t2.Sub(t1).Round(1e6),"age",ta.Round(1e6),"rounds",ts.Round(1e6),"end",time.Since(t3).Round(1e6))
 }
 fmt.Println("est",c.seconds(0,len(es)))
}
