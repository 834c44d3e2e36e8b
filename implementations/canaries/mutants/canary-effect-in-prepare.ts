import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-effect-in-prepare',
  about: 'Sends the effect in prepare, before begin.',
  breaks: 'The effect uses the fence',
  adapter: 'implementations/reference/reference-prepares.ts',
  patches: [
    {
      file: 'implementations/reference/reference-prepares.ts',
      find: `          return payload
`,
      replace: `          await sink.perform({ key, payload })
          return payload
`,
    },
  ],
  hunt: {
    killedBy: [],
    scenarios: ['competing-consumers'],
  },
})
