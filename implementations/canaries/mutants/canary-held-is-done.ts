import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-held-is-done',
  about: 'Answers done while another attempt holds the key.',
  breaks: 'Among competing consumers',
  patches: [
    {
      file: 'src/impl/once.ts',
      find: "return retry('held', Math.min(found.leftMs, soonMs))",
      replace: "return { status: 'done', result: null as Result, repeated: true }",
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
