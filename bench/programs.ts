/**
 * Measures the runs per second of a layer in another language, in one thread. Results:
 * docs/findings/benchmarks.md, section Programs.
 */
import fs from 'node:fs'
import { drawRun } from '../src/campaign/play/draw-run.ts'
import type { Scenario } from '../src/contract/api/scenario.ts'
import { loadProgram } from '../src/exec/load-program.ts'
import { createPidPages, PidBook } from '../src/exec/pid-book.ts'
import { runWorld } from '../src/sim/world.ts'

const [name, scenarioName, count] = process.argv.slice(2)
if (name === undefined || scenarioName === undefined)
  throw new Error("usage: bench/programs.ts 'exec:python3 layer.py' <scenario> [runs]")
const runs = Number(count ?? 100)
const scenario: Scenario = (await import(new URL(`../scenarios/${scenarioName}.ts`, import.meta.url).href)).default
const implementation = await loadProgram(name, new PidBook(createPidPages()))

/**
 * Returns the CPU time of this process (`own`) and of its descendants (`others`), in milliseconds.
 */
function cpuMs(): { own: number; others: number } {
  const ofPid = (pid: string) => {
    const [user, system, ...children] = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(') ')[1]!
      .split(' ')
      .slice(11, 15)
    return {
      own: 10 * (Number(user) + Number(system)),
      children: 10 * children.reduce((sum, one) => sum + Number(one), 0),
    }
  }
  const children = fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const alive = children.map(ofPid).reduce((sum, { own, children: theirs }) => sum + own + theirs, 0)
  const own = ofPid('self')
  return { own: own.own, others: own.children + alive }
}

let crashes = 0
let commands = 0
const before = cpuMs()
const startedMs = performance.now()
for (let run = 0; run < runs; run++) {
  const { value, choiceSeed } = drawRun(scenario, 1, run)
  const request = { scenario, implementation, sink: 'plain', plan: value.value, record: false } as const
  const { history, executed } = await runWorld({ ...request, choices: { seed: choiceSeed } })
  crashes += history.events.filter(({ type }) => type === 'process-ended').length
  commands += executed.length
}
const seconds = (performance.now() - startedMs) / 1000
const after = cpuMs()
const each = (sum: number) => (sum / runs).toFixed(1)
const cpu = `${each(after.own - before.own)} ms in Node, ${each(after.others - before.others)} ms in its processes`
console.log(`${name} × ${scenarioName}: ${(runs / seconds).toFixed(1)} runs/s`)
console.log(`  a run: ${each(crashes)} crashes, ${each(commands)} commands; processor: ${cpu}`)
process.exit(0)
