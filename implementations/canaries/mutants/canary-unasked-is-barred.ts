import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-unasked-is-barred',
  about: 'Treats a sink that cannot be asked as an answer that nothing was done.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'src/impl/doubt.ts',
      find: "    return inDoubt({ reason: 'reconcile-failed', cause })",
      replace: "    answer = { status: 'barred' }",
    },
  ],
  hunt: {
    killedBy: ['partition', 'slow-link'],
    scenarios: ['network-partition', 'slow-lock-holder'],
    sink: 'fenced',
  },
})
