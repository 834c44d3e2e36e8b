import type { Answer } from 'test-servers'
import { noteText } from 'test-servers'
import { masked } from '../src/compare.ts'
import { Database, type Session, type SqlError } from '../src/index.ts'
import { askText } from './ask-text.ts'
import { hasCircle } from './circle.ts'
import { StillClock } from './still-clock.ts'
import { deadlockMs, type Seen, type Step, settledMs, type Target } from './target.ts'

/** True if a session is busy without being blocked. */
const hasSleeper = (waiting: Seen['waiting']): boolean =>
  Object.values(waiting).some((blockers) => blockers.length === 0)

/**
 * The simulated server. Each entry of `choices` selects which of several woken sessions runs first;
 * 0 after the end of the list.
 */
export class SimulatedTarget implements Target {
  private readonly choices: readonly number[]
  /** Number of alternatives of each choice that was made. */
  readonly asked: number[] = []
  private readonly clock = new StillClock()
  private database: Database
  private sessions: Session[] = []
  private busy = new Set<number>()
  private answered: Record<number, readonly Answer[] | 'unsupported'> = {}
  /** The last unsupported feature that was requested. */
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
      session.client = {
        noticed: ({ severity, code, message, detail, hint }) =>
          this.notes[i]!.push(noteText(severity, code, message, detail, hint)),
      }
      for (const one of session.parse(`SET deadlock_timeout = ${deadlockMs}`)) session.execute(one, [], () => {})
    })
  }

  async step({ session, sql }: Step): Promise<Seen | null> {
    if (this.busy.has(session)) return null
    this.unsupported = null
    this.ask(session, sql)
    this.clock.pass((settledMs + 1) * 1000)
    // Time passes until the server has resolved every deadlock and sleeping sessions have woken. A
    // deadlock that the server does not detect remains, and is reported as a difference.
    let waiting = this.waiting()
    while ((hasCircle(waiting) || hasSleeper(waiting)) && this.clock.passToNext()) waiting = this.waiting()
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
    this.busy.add(number)
    const takeNotes = () => this.notes[number]!.splice(0)
    askText(
      this.sessions[number]!,
      sql,
      (error) => this.fieldsOf(error),
      takeNotes,
      (answers) => {
        this.busy.delete(number)
        this.answered[number] = this.unsupported === null ? answers : 'unsupported'
      },
    )
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
