/** The host of a process whose run is over: its requests have no effect. */
import { Choices } from '../kernel/choices.ts'
import { MachineClock } from '../kernel/machine-clock.ts'
import { ReadableFiles } from './node/readable-files.ts'
import type { ProcessHost } from './process.ts'

export const noClock = new MachineClock(() => 0, 0)

export const disposedHost: ProcessHost = {
  kernel: {
    choices: new Choices({ seed: 0 }),
    nowUs: 0,
    schedule: (delayUs, owner, callback) => ({ atUs: delayUs, seq: 0, owner, callback, timerMs: null }),
    lastSeq: 0,
    turn() {},
    cancel() {},
    wentOffUs: new Map(),
  },
  connect: () => ({ send: () => null, finish: () => false, close() {} }),
  listen: (_process, address, port) => ({ address, port, close() {} }),
  resolve: () => null,
  log() {},
  died() {},
  unsupported() {},
  files: new ReadableFiles('/'),
  fileRead() {},
  timerStarted() {},
}
