import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-prepares-too-late',
  about: 'Runs prepare after begin.',
  breaks: 'The result of `prepare` is sent, or nothing is sent',
  adapter: 'implementations/reference/reference-prepares.ts',
  patches: [
    {
      file: 'src/impl/attempt.ts',
      find: `    const prepared = await prepare(work, hold, lease)
    if (prepared.status === 'failed') return await giveBack('prepare-failed', prepared.cause)
    if (prepared.status === 'late') return await giveBack('lease-lost')
`,
      replace: '',
    },
    {
      file: 'src/impl/attempt.ts',
      find: '(given) => work.effect(given, prepared.value))',
      replace: `async (given) =>
      work.effect(given, await work.prepare({ key: hold.key, signal: lease.signal })),
    )`,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
