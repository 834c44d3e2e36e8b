import { loadProgram } from '/work/h-exec/src/exec/load-program.ts'
import { createPidPages, PidBook } from '/work/h-exec/src/exec/pid-book.ts'
import { drawRun } from '/work/h-exec/src/campaign/draw-run.ts'
import { runWorld } from '/work/h-exec/src/sim/world.ts'
const [name, scenarioFile, runs] = process.argv.slice(2)
const scenario = (await import(`/work/h-exec/scenarios/${scenarioFile}.ts`)).default
const implementation = await loadProgram(name!, new PidBook(createPidPages()))
let crashes = 0, commands = 0, events = 0
import fs from 'node:fs'
const stat = (pid: string) => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 15).map(Number)
const kids = () => fs.readdirSync('/proc').filter((p) => /^\d+$/.test(p)).filter((p) => { try { return fs.readFileSync(`/proc/${p}/stat`, 'utf8').split(') ')[1]!.split(' ')[1] === String(process.pid) } catch { return false } })
const total = () => { const own = stat('self'); const k = kids().map((p) => { try { return stat(p) } catch { return [0,0,0,0] } }); return { node: own[0]! + own[1]!, children: own[2]! + own[3]! + k.flat().reduce((a, b) => a + b, 0) } }
const before = total()
const started = performance.now()
const cpu = process.cpuUsage()
for (let run = 0; run < Number(runs); run++) {
  const { value, choiceSeed } = drawRun(scenario, 1, run)
  const result = await runWorld({ scenario, implementation, sink: 'plain', plan: value.value, choices: { seed: choiceSeed }, record: false })
  crashes += result.history.events.filter((e) => e.type === 'process-ended').length
  commands += result.executed.length; events += result.eventCount
}
const ms = performance.now() - started
const used = process.cpuUsage(cpu)
const after = total()
const per = (a: number, b: number) => ((b - a) * 10 / Number(runs)).toFixed(1)
console.log(`cpu ms a run: node ${per(before.node, after.node)}, children ${per(before.children, after.children)}`)
console.log(`${scenarioFile}: ${(Number(runs) / ms * 1000).toFixed(1)} runs/s, ${crashes/Number(runs)} crashes, ${commands/Number(runs)} commands a run; cpu node ${(used.user+used.system)/1000/Number(runs)} ms a run`)
process.exit(0)
