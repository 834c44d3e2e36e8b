import fs from 'node:fs'
const R = '/work/wt/verdicts/'
const { createDeps } = await import(R + 'src/cli/create-deps.ts')
const { drawRun } = await import(R + 'src/campaign/draw-run.ts')
const { planOf } = await import(R + 'src/campaign/run-chunk.ts')
const { pairById } = await import(R + 'test/scenarios/pair-by-id.ts')
const deps = createDeps(() => false)
const [, , runsText, seedText, ...jobs] = process.argv
const runs = Number(runsText), seed = Number(seedText)
const only = process.env.INV
for (const job of jobs) {
  const [layer, sink, list] = job.split(':')
  const t0 = process.cpuUsage().user
  const pairs = []
  let told = 'survived', n = 0
  try {
    for (const id of list.split(',')) pairs.push({ id, ...(await pairById(layer, id, deps)) })
    outer: for (let from = 0; from < runs; from += 10)
      for (const { id, task, pair } of pairs)
        for (let run = from; run < Math.min(runs, from + 10); run++) {
          n++
          const { value, choiceSeed } = drawRun(pair.scenario, seed, run)
          const plan = planOf(task, value.value)
          const { history } = await deps.runWorld({ ...pair, sink, plan, choices: { seed: choiceSeed }, record: false })
          for (const { name, verdict } of deps.judge(history, pair.scenario.invariants, pair.scenario.own)) {
            if (only && name !== only) continue
            if (verdict.verdict === 'unknown') { console.log('  unknown', id, run, name, verdict.reason); continue }
            if (verdict.verdict === 'violated') { told = `caught in ${id} run ${run}: ${name}: ${verdict.violations[0].kind}: ${verdict.violations[0].sentence}`; break outer }
          }
        }
  } catch (error) { told = 'ERROR ' + String(error?.stack ?? error).slice(0, 400) }
  console.log(`${layer.split('/').pop().replace('canary-', '').replace('.ts', '')} ${sink} ${n} runs, ${((process.cpuUsage().user - t0) / 1e6).toFixed(1)} s: ${told}`)
}
process.exit(0)
