import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-unasked-is-barred',
  about: 'Who cannot be asked has done nothing.',
  breaks: '`reconcile` has no answer "not found"',
  adapter: 'implementations/reference/reference-reconciles.ts',
  patches: [
    {
      file: 'src/impl/doubt.ts',
      find: "    return { status: 'in-doubt', reason: 'reconcile-failed', cause }",
      replace: "    answer = { status: 'barred' }",
    },
  ],
  hunt: {
    killedBy: ['partition', 'slow-link'],
    scenarios: ['network-partition', 'slow-lock-holder'],
    sink: 'fenced',
  },
})
