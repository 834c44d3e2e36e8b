/**
 * PostgreSQL sessions in a run that follows a schedule. A released statement is answered before the
 * next step, or waits for another session if it did so in the schedule. A session releases its
 * locks in the same step as in the schedule.
 */
import { type Pass, type Step, sameStep, stepText } from '../../contract/results/step.ts'
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { PostgresSessions } from '../postgres/sessions.ts'
import type { ProxiedConnection, ProxiedLink } from '../proxy/proxied-link.ts'
import type { LockStepReplayer } from './lock-step-replayer.ts'

interface SessionsSetting {
  readonly replayer: Pick<LockStepReplayer, 'by' | 'take' | 'hold' | 'hasRoomFor' | 'next' | 'last' | 'wentOtherwise'>
  readonly sessions: () => PostgresSessions
  /** Returns the slot's link to PostgreSQL. */
  linkOf(slot: number): ProxiedLink
  readonly failed: (error: unknown) => void
}

/** Identifies a session by the slot and the local port of its connection. */
interface Local {
  readonly slot: number
  readonly localPort: number
}

export class HeldSessions {
  /** By slot and port: the process that uses the session. */
  readonly #speakers = new Map<string, { readonly process: ConsumerProcess; readonly via: string }>()
  /** By slot and port: a promise that settles when the session may end. */
  readonly #ends = new Map<string, Promise<void>>()

  constructor(private readonly setting: SessionsSetting) {}

  /** Called when that process uses the session through that connection. */
  speaks(process: ConsumerProcess, localPort: number, via: string): void {
    const name = `${process.slot} ${localPort}`
    if (this.#speakers.get(name)?.via === via) return
    this.#speakers.set(name, { process, via })
    this.#ends.delete(name)
  }

  /**
   * Resolves to true if the statement that was just sent waits for another session; to false if it
   * is answered, or if the server is frozen or down. If the schedule has the other outcome, marks
   * the run as diverged. `executed`: the step of the statement's execution.
   */
  async settles(session: Local, executed: Pass, answered: Promise<void>): Promise<boolean> {
    const { replayer } = this.setting
    const sessions = this.setting.sessions()
    const { last, next } = replayer
    const connection = this.#connection(session)
    if (connection === undefined || last === undefined) return false
    let over = false
    const done = answered.then(() => 'done' as const)
    const came = await Promise.race([done, sessions.untilWaits(connection.to, () => over)])
    over = true
    // After the last step, the schedule does not tell whether the statement should wait. An
    // unavailable server cannot tell whether it waits.
    if (next === undefined || came === 'unknown') return false
    const isNext = sameStep(executed, next.step)
    const otherwise = (what: string) => replayer.wentOtherwise(`${stepText(executed)}: ${what}`, 'sessions')
    if (came === 'waits' && isNext && next.atUs === last.atUs) otherwise('it waits for another session')
    if (came === 'done' && !isNext) otherwise('it does not wait')
    return came === 'waits'
  }

  async untilWaitsNoMore(session: Local): Promise<void> {
    const connection = this.#connection(session)
    if (connection !== undefined) await this.setting.sessions().untilWaitsNoMore(connection.to)
  }

  /** Resolves once the session may end, which is at once if the session holds nothing. */
  ends({ slot, localPort }: Local): Promise<void> {
    const name = `${slot} ${localPort}`
    const ending = this.#ends.get(name) ?? this.#end({ slot, localPort }).catch(this.setting.failed)
    this.#ends.set(name, ending)
    return ending
  }

  async #end(session: Local): Promise<void> {
    const speaker = this.#speakers.get(`${session.slot} ${session.localPort}`)
    const connection = this.#connection(session)
    const { replayer } = this.setting
    const sessions = this.setting.sessions()
    if (speaker === undefined || connection === undefined) return
    const step: Step = { kind: 'lets-go', process: speaker.process.name }
    // A frozen server cannot be asked what the session holds, so the step is taken without asking.
    if (sessions.answers && !(await sessions.holds(connection.to))) return
    if (!replayer.hasRoomFor(step)) return
    const { to } = connection
    await replayer.by(speaker.via, () => replayer.take(step, () => replayer.hold(sessions.gone(to))))
  }

  #connection({ slot, localPort }: Local): ProxiedConnection | undefined {
    return this.setting.linkOf(slot).connections?.find(({ from }) => from === localPort)
  }
}
