/** Rule 5: a begin is valid once every replica that could be elected has acknowledged it. */
import { asError } from './as-error.ts'
import type { Connection, Reply } from './connection.ts'
import { byNode, type KnownReplicas, mustAcknowledge } from './known-replicas.ts'
import { Line, type Written } from './line.ts'
import type { Settings } from './options.ts'
import type { Primary } from './primary.ts'
import type { Script } from './scripts.ts'

export type Begun =
  /**
   * The begin is on the primary, and on every replica that counts. `begunAt`: by the store's clock,
   * in milliseconds since the Unix epoch. `attempt`: how many have begun for the key.
   */
  | { readonly status: 'begun'; readonly begunAt: number; readonly attempt: number }
  /** Nothing was written. */
  | { readonly status: 'lost' }
  /** The begin may be on the primary, but on too few replicas. */
  | { readonly status: 'not-replicated'; readonly error: Error }
  /** There are more replicas than `replicas` counts. */
  | { readonly status: 'replicas-uncounted'; readonly error: Error }
  | { readonly status: 'unreachable'; readonly error: Error }

/**
 * How long the known replicas are cached: about as long as Sentinels themselves rely on
 * reports.
 */
const believedMs = 10_000

/** The reply of the script `begin`. */
export function begunOrLost([status, begunAt, attempt]: Reply): Extract<Begun, { status: 'begun' | 'lost' }> {
  if (status !== 'begun') return { status: 'lost' }
  return { status, begunAt: Number(begunAt), attempt: Number(attempt) }
}

interface Open {
  readonly line: Line
  known: Promise<KnownReplicas> | undefined
  askedAtMs: number
}

export class Replication {
  readonly #connection: Connection
  readonly #settings: Settings
  readonly #lines = new Map<string, Open>()

  constructor(connection: Connection, settings: Settings) {
    this.#connection = connection
    this.#settings = settings
  }

  /**
   * True if a begin needs more than the primary's confirmation. A sink that settles doubts forgets
   * nothing in a failover.
   */
  get matters(): boolean {
    const { sink, replicas, allowMinority } = this.#settings
    const alone = this.#connection.shape === 'single' || allowMinority
    return sink.kind === 'plain' && (replicas > 0 || !alone)
  }

  /**
   * Sends the begin once. After any result except `begun`, the begin must be undone: it may be on
   * record, or be recorded later.
   */
  async begin(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<Begun> {
    const primary = this.#connection.primaryOf(keys[0]!)
    if (primary === undefined) return this.#seek({ status: 'unreachable', error: new Error('no primary is known') })
    const open = this.#open(primary)
    try {
      const known = await this.#known(open)
      const must = known === undefined ? 0 : mustAcknowledge(known)
      if (must > this.#settings.replicas) return uncounted(known!.by, must, this.#settings.replicas)
      const begun = this.#judge(await open.line.write(script, keys, args), known)
      if (begun.status === 'begun' || begun.status === 'replicas-uncounted') return begun
      // The primary may have been deposed. If it was not, a new connection costs
      // little.
      open.line.close()
      return this.#seek(begun)
    } catch (error) {
      open.line.close()
      return this.#seek({ status: 'unreachable', error: asError(error) })
    }
  }

  close(): void {
    for (const { line } of this.#lines.values()) line.close()
  }

  #open(primary: Primary): Open {
    const there = this.#lines.get(primary.name)
    if (there !== undefined && !there.line.over) return there
    const open: Open = { line: new Line(primary, this.#settings), known: undefined, askedAtMs: 0 }
    this.#lines.set(primary.name, open)
    return open
  }

  /** Undefined if neither Sentinels nor a Cluster node is to be asked. */
  #known(open: Open): Promise<KnownReplicas | undefined> {
    const { shape } = this.#connection
    if (shape === 'single' || this.#settings.allowMinority) return Promise.resolve(undefined)
    const now = performance.now()
    if (open.known === undefined || now - open.askedAtMs >= believedMs) {
      open.askedAtMs = now
      open.known = shape === 'sentinel' ? this.#connection.askSentinels() : open.line.nodes().then(byNode)
    }
    return open.known
  }

  #judge(written: Written, known: KnownReplicas | undefined): Begun {
    const { replicas, allowMinority } = this.#settings
    if (!written.answered) return { status: 'unreachable', error: written.error }
    const begun = begunOrLost(written.reply)
    if (begun.status === 'lost') return begun
    const { acknowledged, attached } = written
    // Another attached replica may have acknowledged instead of one that counts.
    if (!allowMinority && attached > Math.max(replicas, known?.all ?? 0))
      return uncounted('the primary', attached, replicas)
    if (acknowledged >= replicas) return begun
    const error = new Error(`${acknowledged} of ${replicas} replicas acknowledged the begin`)
    return { status: 'not-replicated', error }
  }

  #seek(begun: Begun): Begun {
    this.#connection.seekPrimary()
    return begun
  }
}

function uncounted(by: string, found: number, replicas: number): Begun {
  const error = new Error(
    `${by} knows ${found} replicas, and 'replicas' counts ${replicas}: raise it, or allowMinority`,
  )
  return { status: 'replicas-uncounted', error }
}
