import type { Readable, Writable } from 'node:stream'
import { real, within } from 'virtual-node/runtime'
import type { LoopbackBridge } from './loopback-bridge.ts'
import { type Idle, type Notice, parseWord, type Times, type Word } from './protocol.ts'

/**
 * The messages of a program's process in answer to a message, until the process is idle or has a
 * problem.
 */
export type Heard =
  | { readonly words: readonly ProgramWord[]; readonly idle: Idle }
  | { readonly words: readonly ProgramWord[]; readonly problem: Problem }

/** A message of a program; for `sent`, with the bytes in latin1. */
export type ProgramWord = Exclude<Word, Idle> & { readonly data?: string }

/** Why the process will send no more messages. `text`: a predicate whose subject is the process. */
export interface Problem {
  readonly kind: 'ended' | 'silent' | 'out-of-turn' | 'not-the-protocol' | 'unsupported'
  readonly text: string
}

export interface ChildParts {
  readonly pid: number
  readonly input: Writable
  readonly output: Readable
  readonly bridge: LoopbackBridge
  /** A process that sends nothing for this time counts as hung, in milliseconds of real time. */
  readonly silenceMs: number
}

const outOfTurn: Problem = { kind: 'out-of-turn', text: 'continued after it had reported idle' }

/** The maximum number of characters in one answer. */
const mostText = 4_000_000

/**
 * A real process of a program. It gets one message at a time, and answers with messages until it is
 * idle.
 */
export class Child {
  #text = ''
  /** Characters that the process has sent since the last message to it. */
  #said = 0
  #lines: string[] = []
  #ended: string | null = null
  #problem: Problem | null = null
  #asked = false
  #n = 0
  #news: (() => void) | null = null
  #whenEnded: () => void = () => {}
  #queue: Promise<unknown> = Promise.resolve()
  readonly #connections = new Set<number>()

  constructor(private readonly parts: ChildParts) {
    const { output, input } = parts
    output.setEncoding('utf8')
    output.on('data', (text: string) => this.#heard(text))
    output.on('error', () => {})
    input.on('error', () => {})
  }

  get pid(): number {
    return this.parts.pid
  }

  /** Called when the process has ended. `how`: the reason; only the first call counts. */
  ended(how: string): void {
    if (this.#ended !== null) return
    this.#ended = how
    this.#whenEnded()
    this.#notify()
    this.parts.bridge.look()
  }

  whenEnded(notify: () => void): void {
    this.#whenEnded = notify
  }

  #heard(text: string): void {
    if (!this.#asked) this.#problem ??= outOfTurn
    this.#text += text
    this.#said += text.length
    if (this.#said > mostText)
      this.#problem ??= { kind: 'not-the-protocol', text: `sent more than ${mostText} characters at a time` }
    const end = this.#text.lastIndexOf('\n')
    if (end < 0) return this.#problem === null ? undefined : this.#notify()
    this.#lines.push(...this.#text.slice(0, end).split('\n'))
    this.#text = this.#text.slice(end + 1)
    this.#notify()
  }

  #notify(): void {
    this.#news?.()
  }

  /**
   * The next line of the process; null if none arrives in time. Used before the first message to
   * the process.
   */
  async line(ms: number): Promise<string | null> {
    this.#asked = true
    const over = await this.#until(() => this.#lines.length > 0 || this.#ended !== null || this.#problem !== null, ms)
    this.#asked = false
    return over ? null : (this.#lines.shift() ?? null)
  }

  /** How the process ended; null while it runs. */
  get how(): string | null {
    return this.#ended
  }

  write(message: object): void {
    this.parts.input.write(`${JSON.stringify(message)}\n`)
  }

  /**
   * Sends a message after the earlier ones were answered. `bytes` are sent over the message's
   * connection.
   */
  notify(notice: Notice, times: Times, bytes?: string): Promise<Heard> {
    const heard = this.#queue.then(() => this.#exchange(notice, times, bytes))
    this.#queue = heard
    return heard
  }

  async #exchange(notice: Notice, times: Times, bytes?: string): Promise<Heard> {
    const n = ++this.#n
    if (this.#ended === null && this.#problem === null) {
      this.#asked = true
      this.#said = 0
      if (bytes !== undefined && 'connection' in notice) this.parts.bridge.send(notice.connection, bytes)
      this.write({ ...notice, n, ...times })
    }
    const words: ProgramWord[] = []
    for (;;) {
      const line = this.#lines.shift()
      const word = line === undefined ? null : parseWord(line)
      if (line !== undefined && word === null)
        this.#problem ??= {
          kind: 'not-the-protocol',
          text: `sent a line that is not a message of the protocol: ${shown(line)}`,
        }
      if (this.#problem !== null) return { words, problem: this.#problem }
      if (word?.type === 'idle') {
        this.#asked = false
        if (this.#lines.length > 0) this.#problem = outOfTurn
        if (word.n !== n) {
          this.#problem = { kind: 'not-the-protocol', text: `reported idle for ${word.n} instead of ${n}` }
        }
        if (this.#problem !== null) return { words, problem: this.#problem }
        if (await this.#complete(words)) return { words, idle: word }
        this.#problem = { kind: 'not-the-protocol', text: 'reported a command that never arrived' }
        return { words, problem: this.#problem }
      }
      if (word !== null) words.push(word)
      else if (this.#ended !== null) {
        await this.#complete(words)
        this.#forgetAll()
        return { words, problem: { kind: 'ended', text: this.#ended } }
      } else if (await this.#until(() => this.#lines.length > 0 || this.#ended !== null || this.#problem !== null))
        this.#problem = {
          kind: 'silent',
          text: `got ${notice.type} and sent nothing for ${this.parts.silenceMs / 1000} s, not even idle`,
        }
    }
  }

  /**
   * Collects the bytes that the process says it has sent, which may arrive later; false if they do
   * not arrive in time. Bytes that the process sent before it ended are also collected.
   */
  async #complete(words: ProgramWord[]): Promise<boolean> {
    const { bridge, silenceMs } = this.parts
    let late = false
    const timer = real.setTimeout(() => {
      late = true
      bridge.look()
    }, silenceMs)
    for (const [at, word] of words.entries()) {
      if (word.type === 'connect' && word.inline !== true) {
        await bridge.opened(word.connection, () => late)
        this.#connections.add(word.connection)
      }
      if (word.type === 'close') this.#forget(word.connection)
      if (word.type !== 'sent' || !('bytes' in word)) continue
      const data = await bridge.take(word.connection, word.bytes, () => late)
      if (data.length < word.bytes && this.#ended === null) late = true
      words[at] = { ...word, data }
    }
    real.clearTimeout(timer)
    return !late
  }

  #forget(connection: number): void {
    // The number of an inline connection may be the port of another process's connection.
    if (this.#connections.delete(connection)) this.parts.bridge.forget(connection)
  }

  #forgetAll(): void {
    for (const connection of this.#connections) this.#forget(connection)
  }

  /** Waits until `there` returns true. Resolves to true on a timeout, otherwise to false. */
  #until(there: () => boolean, ms = this.parts.silenceMs): Promise<boolean> {
    if (there()) return Promise.resolve(false)
    return new Promise((resolve) => {
      const settle = (over: boolean) => {
        real.clearTimeout(timer)
        this.#news = null
        resolve(over)
      }
      const timer = real.setTimeout(() => settle(true), ms)
      this.#news = () => there() && settle(false)
    })
  }

  #signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    // The pid of an ended process may belong to another process now.
    if (this.#ended !== null) return
    try {
      process.kill(this.parts.pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      this.ended('exited')
    }
  }

  /** Stops the process after it has answered the earlier messages. */
  pause(): Promise<void> {
    return this.#after(() => this.#signal('SIGSTOP'))
  }

  resume(): Promise<void> {
    return this.#after(() => this.#signal('SIGCONT'))
  }

  #after(work: () => void): Promise<void> {
    // This may run in a microtask of a simulated process, in which the global `process` is not the
    // real one.
    const done = this.#queue.then(() => within(null, work))
    this.#queue = done
    return done
  }

  kill(): void {
    this.#signal('SIGKILL')
    this.ended('was killed')
    this.#forgetAll()
    this.parts.input.destroy()
    this.parts.output.destroy()
  }
}

/** The line, shortened for a sentence. */
export function shown(line: string): string {
  const text = JSON.stringify(line)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
