import { masked } from '../../src/fidelity/postgres/masked.ts'
import type { Answer } from '../../src/fidelity/postgres/wire-client.ts'
import { Database, type Session, SqlError } from '../../src/sim/postgres/engine/index.ts'
import { hasCircle } from './circle.ts'
import { StillClock } from './still-clock.ts'
import type { Seen, Step, Target } from './target.ts'

const deadlockUs = 5000

/** The simulated server. Where several sessions go on at the same time, `choices` says who is first; what it does not say is 0. */
export class SimulatedTarget implements Target {
  private readonly choices: readonly number[]
  /** How many there were to choose from, each time. */
  readonly asked: number[] = []
  private readonly clock = new StillClock()
  private database: Database
  private sessions: Session[] = []
  private busy = new Set<number>()
  private answered: Record<number, Answer | 'unsupported'> = {}
  /** What it was asked last that it does not know. */
  unsupported: string | null = null
  private readonly notes: string[][] = []
  private readonly sabotage: (database: Database) => void

  constructor(choices: readonly number[] = [], sabotage: (database: Database) => void = () => {}) {
    this.choices = choices
    this.sabotage = sabotage
    this.database = this.fresh()
  }

  private fresh(): Database {
    const database = new Database({
      nowUs: () => this.clock.nowUs,
      after: (delayUs, work) => this.clock.after(delayUs, work),
      chance: (what, n) => {
        if (what !== 'which session goes on first') return 0
        this.asked.push(n)
        return (this.choices[this.asked.length - 1] ?? 0) % n
      },
      unsupported: (what) => {
        this.unsupported = what
      },
    })
    this.sabotage(database)
    return database
  }

  async begin(setup: readonly string[], sessions: number): Promise<void> {
    this.clock.clear()
    this.database = this.fresh()
    const open = () => this.database.connect({ user: 'postgres', database: 'postgres', parameters: {} })
    const monitor = open()
    for (const sql of setup) for (const one of monitor.parse(sql)) monitor.execute(one, [], () => {})
    this.sessions = Array.from({ length: sessions }, open)
    this.sessions.forEach((session, i) => {
      this.notes[i] = []
      session.onNotice = ({ severity, code, message }) => this.notes[i]!.push(`${severity} ${code} ${message}`)
      for (const one of session.parse('SET deadlock_timeout = 5')) session.execute(one, [], () => {})
    })
  }

  async step({ session, sql }: Step): Promise<Seen | null> {
    if (this.busy.has(session)) return null
    this.unsupported = null
    this.ask(session, sql)
    this.clock.pass(deadlockUs + 1000)
    // Who goes on after a deadlock may be part of the next one. One that the server does not find stays, and is a difference.
    for (let left = this.sessions.length; left > 0 && hasCircle(this.waiting()); left--)
      this.clock.pass(deadlockUs + 1000)
    const waiting = this.waiting()
    const answered = this.answered
    this.answered = {}
    return { answered, waiting }
  }

  private waiting(): Record<number, number[]> {
    return Object.fromEntries(
      [...this.busy].map((one) => {
        const blockers = this.database.blockedBy(this.sessions[one]!.processId)
        return [one, blockers.map((pid) => this.sessionOf(pid)).sort()]
      }),
    )
  }

  private ask(number: number, sql: string): void {
    const session = this.sessions[number]!
    this.busy.add(number)
    const finish = (answer: Answer) => {
      this.busy.delete(number)
      this.answered[number] = this.unsupported === null ? answer : 'unsupported'
    }
    try {
      const [statement] = session.parse(sql)
      session.execute(statement!, [], (outcome) => {
        const notes = this.notes[number]!.splice(0)
        if (!outcome.ok) return finish({ error: this.fieldsOf(outcome.error), notes })
        const columns = (outcome.fields ?? []).map(({ name, typeOid }) => [name, typeOid] as const)
        return finish({ tag: outcome.tag, columns, rows: outcome.rows, notes })
      })
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
      finish({ error: this.fieldsOf(error), notes: [] })
    }
  }

  private sessionOf(pid: number): number {
    return this.sessions.findIndex((session) => session.processId === pid)
  }

  private fieldsOf(error: SqlError): Record<string, string> {
    const names = {
      detail: 'D',
      hint: 'H',
      position: 'P',
      where: 'W',
      schema: 's',
      table: 't',
      column: 'c',
      dataType: 'd',
      constraint: 'n',
    } as const
    const fields: Record<string, string> = { S: error.severity, C: error.code, M: error.message }
    for (const [name, letter] of Object.entries(names)) {
      const value = error.fields[name as keyof typeof names]
      if (value !== undefined) fields[letter] = String(value)
    }
    const name = (text: string) =>
      masked(text).replace(/([Pp]rocess) (\d+)/g, (_, word, pid) => `${word} ${this.sessionOf(Number(pid))}`)
    return Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, name(text)]))
  }
}
