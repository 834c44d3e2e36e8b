/** Executes one run's traffic on a real Redis and on the model, command by command. */
import { compareReplies, type Outcome, quote } from 'redis-sim/compare'
import type { TrafficEvent } from '../../sim/world/traffic.ts'
import { Model } from '../model/model.ts'
import type { RealClient, RealRedis } from '../types.ts'
import { ClockedScripts, withoutPlaces } from './clocked-scripts.ts'
import { expiries } from './expiries.ts'
import { leftover } from './leftover.ts'
import { LifetimeReaders } from './lifetime-readers.ts'
import { Lifetimes } from './lifetimes.ts'
import { ask } from './real-redis.ts'
import { isOfTheServer, isWait, runsScript, whyNotExecuted, whyNotReplayable } from './replayable.ts'
import type { CrosscheckDifference, Replayed } from './replayed.ts'
import { isSameButElapsed } from './same-but-elapsed.ts'
import { Transactions } from './transactions.ts'

type Command = Extract<TrafficEvent, { kind: 'command' }>
type Verdict = Outcome | { readonly stop: string } | { readonly skipped: string }

/**
 * Replays the traffic. Flushes the real server first.
 * @throws ServerGone
 */
export async function replayTraffic(traffic: readonly TrafficEvent[], real: RealRedis): Promise<Replayed> {
  const replay = new Replay(real, await real.open())
  try {
    return await replay.play(traffic)
  } finally {
    replay.close()
  }
}

class Replay {
  readonly #model = new Model()
  readonly #clients = new Map<number, RealClient>()
  readonly #transactions = new Transactions()
  readonly #scripts = new ClockedScripts()
  readonly #lifetimes: Lifetimes
  readonly #readers = new LifetimeReaders()
  readonly #leftOut = new Map<string, number>()
  #compared = 0
  #byRule = 0
  #lastMs = 0
  /** True if the sample ended in a way that may have left the two servers with different keys. */
  #apart = false
  #difference: CrosscheckDifference | null = null

  constructor(
    private readonly real: RealRedis,
    private readonly control: RealClient,
  ) {
    this.#lifetimes = new Lifetimes(this.#model, control)
  }

  async play(traffic: readonly TrafficEvent[]): Promise<Replayed> {
    await ask(this.control, [['FLUSHALL'], ['SCRIPT', 'FLUSH']])
    let stopped: string | null = null
    for (const event of traffic) {
      if (stopped !== null) {
        if (event.kind === 'command') this.#leaveOut(stopped)
      } else if (event.kind === 'fault') stopped = event.what
      else stopped = await this.#take(event)
      if (this.#difference !== null) break
    }
    if (!this.#apart) {
      this.#difference ??= this.#believed(await leftover(this.#model, this.control))
      this.#difference ??= this.#believed(await expiries(this.#model, this.control, this.#lifetimes, this.#lastMs))
    }
    const counts = { compared: this.#compared, byRule: this.#byRule, leftOut: this.#leftOut }
    return { ...counts, difference: this.#difference }
  }

  close(): void {
    for (const client of this.#clients.values()) client.destroy()
    this.control.destroy()
  }

  /** Returns the reason if the sample ends here; null if it continues. */
  async #take(event: Exclude<TrafficEvent, { kind: 'fault' }>): Promise<string | null> {
    if (event.kind === 'connected') this.#model.connect(event.client)
    else if (event.kind === 'closed') {
      this.#model.close(event.client)
      this.#clients.get(event.client)?.destroy()
      this.#clients.delete(event.client)
    } else {
      const verdict = await this.#execute(event)
      this.#lastMs = this.#model.nowMs
      if (typeof verdict === 'string') this.#count(verdict)
      else if ('skipped' in verdict) this.#leaveOut(verdict.skipped)
      else {
        this.#leaveOut(verdict.stop)
        return verdict.stop
      }
    }
    return null
  }

  async #execute({ client, atUs, args }: Command): Promise<Verdict> {
    const model = this.#model
    // WAIT is skipped, because it changes nothing, and the real server has no replicas.
    if (isWait(args) && !model.isQueueing(client)) return { skipped: 'replies of replicas (WAIT)' }
    const why = whyNotReplayable(args)
    if (why !== null) return { stop: why }
    model.nowUs = atUs
    const lifetimes = await this.#lifetimes.bring(this.#lastMs)
    if (lifetimes === 'too-short') return this.#partWays(tooShort)
    if (lifetimes === 'stood-still') return this.#partWays(stoodStill)
    if (lifetimes !== null) {
      const { key, real, model } = lifetimes
      this.#difference = { command: `lifetime of ${quote(key)} before ${described(args)}`, real, model }
      return 'different'
    }
    // `#readers` notes commands when they are queued, so the commands of a transaction are already
    // known at EXEC.
    const all = [args, ...this.#transactions.of(client, args)]
    const reads = all.some((one) => this.#readers.has(one))
    if (reads && this.#lifetimes.anyUnreported()) return { stop: tooShort }
    const clocked = this.#scripts.isClocked(args)
    if ((clocked || isOfTheServer(args)) && model.isQueueing(client))
      return { stop: 'server introspection or the clock, in a transaction' }
    const database = model.database(client)
    const reported = () => (reads ? this.#lifetimes.reported(database) : [])
    const before = reported()
    const { names, result: response } = model.namesDuring(() => model.execute(client, args))
    if ('none' in response) return this.#partWays(response.none)
    const unforeseen = all.some(runsScript)
      ? whyNotExecuted(names, { time: clocked, lifetimes: clocked && reads })
      : null
    if (unforeseen !== null) return this.#partWays(unforeseen)
    // A script may read a lifetime before and after it changes the lifetime, so both values are
    // passed.
    const lived = [...before, ...reported()]
    this.#lifetimes.sending()
    const received = await this.#send(client, this.#scripts.translate(args, atUs, lived))
    if (isOfTheServer(args)) return { skipped: 'server introspection' }
    const real = this.#scripts.restore(received)
    const shown = clocked && real.startsWith('-') ? withoutPlaces : (reply: string) => reply
    const queued = this.#transactions.follow(client, args, response.reply)
    const outcome = compareReplies(args, shown(real), shown(response.reply), queued, database)
    if (outcome !== 'different') return outcome
    if (this.#lifetimes.mayHaveEnded()) return this.#partWays(stoodStill)
    if (reads && !clocked && isSameButElapsed(real, response.reply, this.#lifetimes.lostMs, lived)) return 'rule'
    this.#difference = { command: described(args), real, model: response.reply }
    return outcome
  }

  /** Ends the sample, because the keys of the two servers may have diverged. */
  #partWays(why: string): { readonly stop: string } {
    this.#apart = true
    return { stop: why }
  }

  #believed(difference: CrosscheckDifference | null): CrosscheckDifference | null {
    return this.#lifetimes.mayHaveEnded() ? null : difference
  }

  async #send(client: number, args: readonly string[]): Promise<string> {
    let connection = this.#clients.get(client)
    if (connection === undefined) this.#clients.set(client, (connection = await this.real.open()))
    const [reply] = await ask(connection, [args])
    return reply!
  }

  #count(outcome: Outcome): void {
    this.#compared++
    if (outcome === 'rule' || outcome === 'accepted') this.#byRule++
  }

  #leaveOut(why: string): void {
    this.#leftOut.set(why, (this.#leftOut.get(why) ?? 0) + 1)
  }
}

const tooShort = 'TTLs too short for a real clock'
const stoodStill = 'keys that expired on a slow machine'

/** The command as text, with long words such as scripts shortened. */
function described(args: readonly string[]): string {
  return args.map((word) => quote(word.length <= 60 ? word : `${word.slice(0, 57)}...`)).join(' ')
}
