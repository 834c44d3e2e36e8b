/**
 * A worker process whose runs come from the fake bench. Prints `joined`, `chunk` and the messages
 * of the fleet, one line each. Arguments: the URL of the queue, the folder of the files, and the
 * extra time of each task.
 */

import { inlineExecutor } from '../../src/campaign/conduct/inline-executor.ts'
import type { Executor } from '../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../src/campaign/play/one-at-a-time.ts'
import { readQueueAddress } from '../../src/fleet/queue-address.ts'
import { serveFleet } from '../../src/fleet/serve-fleet.ts'
import { fakeBench } from '../campaign/fake-deps.ts'
import { fakeIdentity } from './fake-identity.ts'

const [url = '', folder = '', pauseMs = '0', sources = fakeIdentity.sources] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
let stopped = false
process.once('SIGINT', () => (stopped = true))

/** Each task takes some time, so that a worker can be killed during a task. */
function startExecutor(): Executor {
  const executor = inlineExecutor(fakeBench(), oneAtATime())
  const slowly = async <T>(work: () => Promise<T>): Promise<T> => {
    say('at work')
    await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)))
    return work()
  }
  return {
    ...executor,
    runChunk: (task) => slowly(() => executor.runChunk(task)),
    shrink: (task) => slowly(() => executor.shrink(task)),
  }
}

await serveFleet({
  address: readQueueAddress(url),
  identity: () => ({ ...fakeIdentity, sources }),
  workers: 1,
  startExecutor,
  say,
  places: { package: `${folder}/package`, folder },
  name: `worker-${process.pid}`,
  stopped: () => stopped,
}).catch((error: Error) => {
  say(error.message)
  process.exitCode = 2
})
