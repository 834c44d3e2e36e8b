import { defineMutant } from '../../../src/contract/api/canary.ts'

export default defineMutant({
  id: 'canary-wait-elsewhere',
  about: 'Sends WAIT on another connection than the write.',
  breaks: 'Through orphaned commands, and through half a pipeline',
  patches: [
    {
      file: 'src/impl/line.ts',
      find: 'const wait = this.#client.wait(replicas, waitMs)',
      replace: 'const wait = this.#waiter.wait(replicas, waitMs)',
    },
    {
      file: 'src/impl/line.ts',
      find: '    this.#connected = inTime(',
      replace: `    this.#waiter = primary.dial({ ...neverAgain(timing), enableOfflineQueue: true })
    this.#waiter.on('error', () => {})
    this.#connected = inTime(`,
    },
    {
      file: 'src/impl/line.ts',
      find: '  readonly #timing: Timing\n',
      replace: '  readonly #timing: Timing\n  readonly #waiter: Redis\n',
    },
    {
      file: 'src/impl/line.ts',
      find: '    this.#client.disconnect()\n',
      replace: '    this.#client.disconnect()\n    this.#waiter.disconnect()\n',
    },
  ],
  hunt: {
    killedBy: ['machine-cut-off'],
    scenarios: ['split-brain'],
  },
})
