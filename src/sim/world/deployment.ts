import { type ProcessHost, VirtualProcess } from 'virtual-node/runtime'
import type { DeployContext } from '../../contract/api/implementation.ts'
import { LoadError, type LoadedImplementation } from '../adapters/load-implementation.ts'
import type { World } from './world-state.ts'

/**
 * First deployment: `deploy` of the adapter, in a process of its own, on a machine of its own,
 * before anything else. Faults spare it, and nothing of it is in the history: it is how the world
 * came to be.
 */
export class Deployment {
  #failure: unknown = null
  readonly #process: VirtualProcess

  constructor(
    world: World,
    host: ProcessHost,
    private readonly implementation: LoadedImplementation,
    addresses: DeployContext,
    fresh: boolean,
    /** Called in the world's own time, at a whole millisecond, when it is done. */
    done: () => void,
  ) {
    const { kernel } = world
    const fail = (error: unknown) => {
      this.#failure ??= error
      this.#process.end()
    }
    const operator: ProcessHost = {
      kernel,
      connect: (...to) => host.connect(...to),
      listen: (...where) => host.listen(...where),
      resolve: (name) => host.resolve(name),
      log: () => {},
      timerStarted: () => {},
      unsupported: (what) => host.unsupported(what),
      files: host.files,
      fileRead: (what, digest) => host.fileRead(what, digest),
      died: (_, error) => fail(error),
    }
    const slot = world.plan.consumers
    this.#process = new VirtualProcess(operator, 'operator', slot, 1, world.clock(slot))
    this.#process.schedule(0, () => {
      const adapter = implementation.instantiate('operator', fresh)
      const deploying =
        adapter instanceof Promise ? adapter.then((loaded) => loaded.deploy?.(addresses)) : adapter.deploy?.(addresses)
      void Promise.resolve(deploying).then(() => {
        this.#process.end()
        kernel.schedule(1000 - (kernel.nowUs % 1000), null, done)
      }, fail)
    })
  }

  dispose(): void {
    this.#process.dispose()
  }

  /** @throws LoadError where it failed, or never came to its end */
  mustHaveSucceeded(): void {
    const { path } = this.implementation
    if (this.#failure !== null) throw new LoadError(path, `its \`deploy\` fails (${String(this.#failure)})`)
    if (this.#process.state !== 'ended') throw new LoadError(path, 'its `deploy` never settles')
  }
}
