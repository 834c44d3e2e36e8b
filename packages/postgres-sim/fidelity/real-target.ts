import { type Answer, type Login, ServerGone, superuser, WireClient } from 'test-servers'
import { masked } from '../src/compare.ts'
import { hasCircle } from './circle.ts'
import { deadlockMs, type Seen, type Step, settledMs, type Target } from './target.ts'

/**
 * Milliseconds without an answer after which the server counts as gone. Queries of the monitor
 * never wait for a session, and each session soon answers or waits for a lock.
 */
const silenceMs = 20_000

const emptySchema = 'DROP SCHEMA public CASCADE; CREATE SCHEMA public;'

/**
 * The real server. pg_stat_activity, pg_locks and pg_blocking_pids() show which sessions wait. If
 * `database` is given, the sessions use a separate database with that name, so that changes of
 * other catalogs do not affect them.
 */
export class RealTarget implements Target {
  private readonly port: number
  private monitor: WireClient | null = null
  private clients: WireClient[] = []
  private readonly pending = new Map<number, Promise<void>>()
  private answered: Record<number, readonly Answer[]> = {}
  private readonly database: string | null
  private isMade = false

  constructor(port: number, database: string | null = null) {
    this.port = port
    this.database = database
  }

  /** @throws ServerGone */
  async begin(setup: readonly string[], sessions: number): Promise<void> {
    this.monitor ??= await this.open()
    await this.leave()
    const { database } = this
    const login = { ...superuser, database: database ?? superuser.database! }
    if (database === null) await done(this.monitor, emptySchema)
    else if (!(await this.emptied(login))) {
      await done(this.monitor, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
      await done(this.monitor, `CREATE DATABASE ${database}`)
    }
    for (const sql of setup) await done(this.monitor, sql)
    this.clients = await Promise.all(Array.from({ length: sessions }, () => this.open(login)))
    for (const client of this.clients) await answerOf(client, `SET deadlock_timeout = ${deadlockMs}`)
  }

  /**
   * Empties the separate database; false if it must be created, because this is the first use or
   * because emptying failed.
   */
  private async emptied(login: Login): Promise<boolean> {
    if (!this.isMade) {
      this.isMade = true
      return false
    }
    const client = await this.open(login)
    const answers = await answerOf(client, emptySchema)
    client.close()
    return answers.every((one) => !('error' in one))
  }

  /**
   * Closes the sessions and waits for their end: a closed session that waits for a lock continues
   * until the server notices the disconnect.
   */
  private async leave(): Promise<void> {
    const pids = this.clients.map((client) => client.processId)
    for (const client of this.clients) client.close()
    this.clients = []
    this.pending.clear()
    this.answered = {}
    if (pids.length === 0) return
    const among = `FROM pg_stat_activity WHERE pid IN (${pids.join(',')})`
    await answerOf(this.monitor!, `SELECT pg_terminate_backend(pid) ${among}`)
    for (const untilMs = performance.now() + silenceMs; ; ) {
      const [left] = await answerOf(this.monitor!, `SELECT count(*) ${among}`)
      if (left && 'rows' in left && left.rows[0]![0] === '0') return
      if (performance.now() > untilMs) throw silent()
    }
  }

  private open(login?: Login): Promise<WireClient> {
    return inTime(WireClient.open(this.port, login))
  }

  /** Closes the connections without waiting until the server notices. */
  close(): void {
    for (const client of this.clients) client.close()
    this.monitor?.close()
  }

  /** @throws ServerGone */
  async step({ session, sql }: Step): Promise<Seen | null> {
    if (this.pending.has(session)) return null
    const asked = this.clients[session]!.query(sql).then((answers) => {
      this.answered[session] = answers.map((one) => this.named(one))
      this.pending.delete(session)
    })
    this.pending.set(session, asked)
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 3))])
    const waiting = await this.settle()
    const answered = this.answered
    this.answered = {}
    return { answered, waiting }
  }

  /** Waits until each session has answered or has waited for a lock long enough. */
  private async settle(): Promise<Record<number, number[]>> {
    for (const untilMs = performance.now() + silenceMs; ; ) {
      const asked = [...this.pending.keys()]
      if (asked.length === 0) return {}
      const pids = asked.map((session) => this.clients[session]!.processId)
      if (performance.now() > untilMs) throw silent()
      const [answer] = await answerOf(
        this.monitor!,
        `SELECT a.pid, array_to_string(pg_blocking_pids(a.pid), ','),
           (SELECT min(extract(epoch FROM clock_timestamp() - waitstart)) * 1000 > ${settledMs} FROM pg_locks l WHERE l.pid = a.pid AND NOT granted)
         FROM pg_stat_activity a WHERE pid IN (${pids.join(',')}) AND state = 'active' AND wait_event_type = 'Lock'`,
      )
      const rows = answer && 'rows' in answer ? answer.rows : []
      const still = [...this.pending.keys()]
      if (still.length < asked.length) continue
      if (rows.length === asked.length && rows.every((row) => row[1] !== '' && row[2] === 't')) {
        const waiting = Object.fromEntries(
          asked.map((session) => {
            const row = rows.find((one) => Number(one[0]) === this.clients[session]!.processId)!
            return [
              session,
              row[1]!
                .split(',')
                .map((pid) => this.sessionOf(Number(pid)))
                .sort(),
            ]
          }),
        )
        // If there is a cycle, the loop continues, because the server resolves a deadlock by
        // itself, although perhaps late.
        if (!hasCircle(waiting)) return waiting
      }
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  private sessionOf(pid: number): number {
    return this.clients.findIndex((client) => client.processId === pid)
  }

  private named(answer: Answer): Answer {
    if (!('error' in answer)) return answer
    const name = (text: string) =>
      masked(text).replace(/([Pp]rocess) (\d+)/g, (_, word, pid) => `${word} ${this.sessionOf(Number(pid))}`)
    return {
      ...answer,
      error: Object.fromEntries(Object.entries(answer.error).map(([field, text]) => [field, name(text)])),
    }
  }
}

const silent = () => new ServerGone('the real PostgreSQL answers no more')

/** @throws ServerGone */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silent()), silenceMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

const answerOf = (client: WireClient, sql: string): Promise<Answer[]> => inTime(client.query(sql))

async function done(client: WireClient, sql: string): Promise<void> {
  for (const answer of await answerOf(client, sql))
    if ('error' in answer) throw new Error(`the real server is not as new: ${answer.error.M}`)
}
