import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-counts-after-prepare',
  about: 'Counts an attempt only after prepare.',
  breaks: 'A message is given up only after `maxAttempts` that failed',
  adapter: 'implementations/reference/reference-gives-up.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `    if (layer.settings.maxAttempts < Number.POSITIVE_INFINITY) {
      counted = true // or it may come to be
      const count = await layer.records.count(hold)
      if (count.status === 'unreachable') return await giveBack(layer.settings.unreachable, count.error)
      if (count.status === 'lost') return await giveBack('lease-lost')
      if (count.status === 'spent') return await giveUp(count.attempts)
    }
    const prepared = await prepare(work, hold, lease)
    if (prepared.status === 'failed') return await giveBack('prepare-failed', prepared.cause)
    if (prepared.status === 'late') return await giveBack('lease-lost')

`,
      replace: `    const prepared = await prepare(work, hold, lease)
    if (prepared.status === 'failed') return await giveBack('prepare-failed', prepared.cause)
    if (prepared.status === 'late') return await giveBack('lease-lost')

    if (layer.settings.maxAttempts < Number.POSITIVE_INFINITY) {
      counted = true // or it may come to be
      const count = await layer.records.count(hold)
      if (count.status === 'unreachable') return await giveBack(layer.settings.unreachable, count.error)
      if (count.status === 'lost') return await giveBack('lease-lost')
      if (count.status === 'spent') return await giveUp(count.attempts)
    }
`,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
