import { loadProgram } from '/work/h-exec/src/exec/load-program.ts'
import { createPidPages, PidBook } from '/work/h-exec/src/exec/pid-book.ts'
import { drawRun } from '/work/h-exec/src/campaign/draw-run.ts'
import { runWorld } from '/work/h-exec/src/sim/world.ts'
const [name, scenarioFile, runs] = process.argv.slice(2)
const scenario = (await import(`/work/h-exec/scenarios/${scenarioFile}.ts`)).default
const implementation = await loadProgram(name!, new PidBook(createPidPages()))
let crashes = 0, commands = 0, events = 0
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
console.log(`${scenarioFile}: ${(Number(runs) / ms * 1000).toFixed(1)} runs/s, ${crashes/Number(runs)} crashes, ${commands/Number(runs)} commands a run; cpu node ${(used.user+used.system)/1000/Number(runs)} ms a run`)
process.exit(0)
