import { type ProcessHost, VirtualProcess } from 'virtual-node/runtime'
import type { DeployContext } from '../../contract/api/implementation.ts'
import { LoadError, type LoadedImplementation } from '../adapters/load-implementation.ts'
import type { World } from './world-state.ts'

/**
 * The first deployment: runs the adapter's `deploy` in a separate process on a separate machine,
 * before everything else. The deployment gets no faults and is not in the history, because it only
 * sets up the world.
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
    /** Called in the world's time, at a whole millisecond, when the deployment is done. */
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

  /** @throws LoadError if the deployment failed or never ended */
  mustHaveSucceeded(): void {
    const { path } = this.implementation
    if (this.#failure !== null) throw new LoadError(path, `its \`deploy\` fails (${String(this.#failure)})`)
    if (this.#process.state !== 'ended') throw new LoadError(path, 'its `deploy` never settles')
  }
}
