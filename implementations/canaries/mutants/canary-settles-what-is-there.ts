import { defineMutant } from '../../../src/contract/canary.ts'

export default defineMutant({
  id: 'canary-settles-what-is-there',
  about: 'An operator settles a key: whatever is in doubt about it when the answer arrives.',
  breaks: 'A settlement settles exactly the doubt that was told',
  adapter: 'implementations/reference/reference-settles.ts',
  patches: [
    {
      file: 'src/impl/settle.ts',
      find: 'const reopened = await records.reopen(about, doubt)',
      replace: `const now = await layer.lookup.record({ key, ...keysOf(key, settings) })
  const reopened = await records.reopen(about, now.status === 'in-doubt' ? now.begin : doubt)`,
    },
  ],
  hunt: {
    killedBy: ['crash', 'slow-effect'],
    scenarios: ['slow-settlement'],
    sink: 'fenced',
  },
})
