import type { ClientSide, Connection } from 'virtual-node/network'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { Fact } from '../../contract/api/history.ts'
import type { World } from './world-state.ts'

type Orphaned = Omit<Extract<Fact, { type: 'command-strayed' }>, 'type'>

/** A process that reconnects after this long without a reply counts as cut off. */
const silenceUs = 60_000_000

/** A connection counts as new for this long after it was opened. */
const newUs = 1_000_000

/** The state of one connection's commands. */
interface Known {
  openedUs: number
  /**
   * The times at which the commands left that have not been executed yet. Commands that left in one
   * turn have the same time.
   */
  readonly left: number[]
  /** When the last executed command left. */
  executedUs: number | null
  /**
   * The WAIT that was executed on the connection and has no reply yet: its arguments and its start.
   */
  waits: { readonly args: string; readonly sinceUs: number } | null
  /** True if a command other than WAIT was executed on the connection. */
  spoken: boolean
}

/**
 * Detects orphaned commands between a client and its server: commands that were sent long after
 * they were requested, executed long after their client abandoned them, sent again on another
 * connection, or separated from the commands with which they left.
 */
export class OrphanedCommands {
  readonly #known = new WeakMap<ClientSide, Known>()
  readonly #waiting = new Map<VirtualProcess, Set<Known>>()
  readonly #heardUs = new WeakMap<VirtualProcess, number>()

  constructor(private readonly world: Pick<World, 'kernel' | 'recorder' | 'isRecorded'>) {}

  #of(connection: ClientSide): Known {
    let known = this.#known.get(connection)
    if (known === undefined) {
      known = { openedUs: this.world.kernel.nowUs, left: [], executedUs: null, waits: null, spoken: false }
      this.#known.set(connection, known)
    }
    return known
  }

  opened(connection: ClientSide): void {
    this.#of(connection)
  }

  /** `bytes` contain the command, and perhaps others that were written together with it. */
  leaves(connection: Connection, command: string, bytes: string): void {
    const { nowUs } = this.world.kernel
    const known = this.#of(connection)
    for (let more = bytes.split('\r\n*').length; more > 0; more--) known.left.push(nowUs)
    const { process } = connection
    const silentUs = nowUs - (this.#heardUs.get(process) ?? 0)
    if (silentUs >= silenceUs && nowUs - known.openedUs <= newUs)
      this.#report({ process: process.name, command, how: 'held-back', forUs: silentUs }, process)
  }

  /** A server is about to execute the command. */
  comes(connection: ClientSide, process: VirtualProcess, command: string, args: readonly string[]): void {
    const { hungUpUs } = connection
    const { nowUs } = this.world.kernel
    if (hungUpUs !== null) {
      const how = process.state === 'ended' ? 'outlived' : 'given-up'
      this.#report({ process: process.name, command, how, forUs: nowUs - hungUpUs }, process)
    }
    if (command !== 'WAIT') return
    const known = this.#of(connection)
    const waiting = this.#waiting.get(process) ?? new Set()
    const before = [...waiting].find((one) => one !== known && one.waits?.args === args.join(' '))
    if (before !== undefined && !known.spoken) {
      const forUs = nowUs - before.waits!.sinceUs
      this.#report({ process: process.name, command, how: 'sent-again', forUs }, process)
    }
    known.waits = { args: args.join(' '), sinceUs: nowUs }
    this.#waiting.set(process, waiting.add(known))
  }

  /**
   * A `queued` command has no effect before EXEC, so the loss of the rest of its pipeline does no
   * harm.
   */
  executed(connection: ClientSide, command: string, queued: boolean): void {
    const known = this.#of(connection)
    if (command !== 'WAIT') known.spoken = true
    const leftUs = known.left.shift() ?? known.executedUs
    if (!queued) known.executedUs = leftUs
  }

  /** The reply has arrived. */
  answered(connection: Connection, command: string): void {
    const { process } = connection
    this.#heardUs.set(process, this.world.kernel.nowUs)
    if (command !== 'WAIT') return
    const known = this.#of(connection)
    known.waits = null
    this.#waiting.get(process)?.delete(known)
  }

  /** The command will never be executed. */
  lost(connection: ClientSide, process: VirtualProcess, command: string): void {
    const known = this.#of(connection)
    const leftUs = known.left.shift() ?? known.executedUs
    if (leftUs === null || leftUs !== known.executedUs) return
    const forUs = this.world.kernel.nowUs - leftUs
    this.#report({ process: process.name, command, how: 'torn', forUs }, process)
  }

  #report(fact: Orphaned, process: VirtualProcess): void {
    if (this.world.isRecorded(process)) this.world.recorder.fact({ type: 'command-strayed', ...fact })
  }
}
