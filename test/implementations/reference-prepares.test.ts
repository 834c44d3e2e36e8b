/** Preparing takes time, but in some plans an effect still comes before the loss. */
import { expect, it } from 'vitest'
import { requestOf } from '../../src/campaign/play/run-chunk.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { pairById } from '../scenarios/pair-by-id.ts'

const bench = createDeps(() => false)

it('the reference with a preparation reaches the goal of older-disk', async () => {
  const { task, pair } = await pairById('reference-prepares', 'older-disk', bench)
  for (let run = 0; run < 60; run++) {
    const { history } = await bench.runWorld(requestOf(task, pair, run))
    if (pair.scenario.goals.every((goal) => bench.reached(goal, history))) return
  }
  expect.unreachable('no run of 60 reached it')
})
