/**
 * Wall clocks of consumer machines, shifted from outside: by libfaketime, which reads a control
 * file on each time query, or, if libfaketime is not installed, by a `Date` that the consumer's
 * program shifts on request. Monotonic clocks and timers keep their pace in both cases.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { ClockAction } from '../../run/actions.ts'
import type { ClockPort } from '../../run/ports.ts'

/** The paths on Debian, Fedora and Homebrew. */
const candidates = [
  ...['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`),
  '/usr/lib64/faketime/libfaketime.so.1',
  '/usr/lib/faketime/libfaketime.so.1',
]

/** The path of libfaketime; null if it is not installed. */
export function findLibfaketime(): string | null {
  return candidates.find((file) => fs.existsSync(file)) ?? null
}

/** The shift of a process's clock from the real one. */
export interface ClockShift {
  readonly offsetMs: number
  /**
   * The time at which the clock is frozen, in milliseconds since the epoch; null if it is not
   * frozen.
   */
  readonly frozenAtMs: number | null
}

/** The time on which shifted clocks are based: real time or the time of a schedule. */
export interface TimeOfDay {
  nowMs(): number
  /** Milliseconds since the epoch. */
  wallMs(): number
  after(delayMs: number, work: () => void): () => void
}

/** The interval at which a drifting clock is updated. */
const driftEveryMs = 20

export class ShiftedClock {
  #offsetMs = 0
  #frozenAtMs: number | null = null
  #stopDrift: (() => void) | null = null
  /** Adds the drift since the last update. */
  #moveOn = (): void => {}
  /** The shift last sent to all listeners. A new listener gets the same one, so that all agree. */
  #notified: ClockShift = { offsetMs: 0, frozenAtMs: null }
  readonly #listeners: ((shift: ClockShift) => void)[] = []

  constructor(private readonly time: TimeOfDay) {}

  /** Notifies a process of the machine of the current shift and of each later one. */
  follow(listener: (shift: ClockShift) => void): void {
    this.#listeners.push(listener)
    listener(this.#notified)
  }

  step(byMs: number): void {
    this.#offsetMs += byMs
    if (this.#frozenAtMs !== null) this.#frozenAtMs += byMs
    this.#notify()
  }

  /**
   * Changes the pace: 0 freezes the clock, null restores the real pace. Returns false if another
   * fault has changed the pace.
   */
  pace(rate: number | null): boolean {
    const before = this.#frozenAtMs !== null || this.#stopDrift !== null
    if (rate !== null && before) return false
    if (rate === 0) this.#frozenAtMs = this.time.wallMs() + this.#offsetMs
    else if (rate !== null) this.#drift(rate)
    else {
      if (this.#frozenAtMs !== null) this.#offsetMs = this.#frozenAtMs - this.time.wallMs()
      this.#frozenAtMs = null
      this.#moveOn()
      this.#moveOn = () => {}
      this.#stopDrift?.()
      this.#stopDrift = null
    }
    this.#notify()
    return true
  }

  #drift(rate: number): void {
    let lastMs = this.time.nowMs()
    this.#moveOn = () => {
      const nowMs = this.time.nowMs()
      this.#offsetMs += (rate - 1) * (nowMs - lastMs)
      lastMs = nowMs
    }
    const on = (): void => {
      this.#notify()
      this.#stopDrift = this.time.after(driftEveryMs, on)
    }
    this.#stopDrift = this.time.after(driftEveryMs, on)
  }

  get shift(): ClockShift {
    this.#moveOn()
    return { offsetMs: this.#offsetMs, frozenAtMs: this.#frozenAtMs }
  }

  #notify(): void {
    this.#notified = this.shift
    for (const listener of this.#listeners) listener(this.#notified)
  }
}

/**
 * The clocks that faults shift in a live run, by machine: the slot of a consumer, or -1 for the
 * store's server.
 */
export class LiveClocks implements ClockPort {
  readonly timersDrift = false
  readonly #clocks = new Map<number, ShiftedClock>()

  constructor(private readonly time: TimeOfDay) {}

  /**
   * The clock of a machine, which is created on first use. Must be called before the machine's
   * processes start, or they do not follow the clock.
   */
  of(machine: number): ShiftedClock {
    let clock = this.#clocks.get(machine)
    if (clock === undefined) this.#clocks.set(machine, (clock = new ShiftedClock(this.time)))
    return clock
  }

  /** The clock of a machine; null if no fault shifts it. */
  known(machine: number): ShiftedClock | null {
    return this.#clocks.get(machine) ?? null
  }

  /** How clocks are shifted; null if no fault shifts one. */
  get means(): 'libfaketime' | 'a shifted Date' | null {
    if (this.#clocks.size === 0) return null
    return findLibfaketime() === null ? 'a shifted Date' : 'libfaketime'
  }

  carryOut(action: ClockAction): boolean {
    const clock = this.of(action.machine)
    switch (action.do) {
      case 'step-clock':
        clock.step(action.byMs)
        return true
      case 'drift-clock':
        return clock.pace(action.percent === 0 ? null : 1 + action.percent / 100)
      case 'freeze-clock':
        return clock.pace(action.on ? 0 : null)
    }
  }
}

/** The environment of a process under libfaketime, and a listener that writes its control file. */
export function fakedProcess(library: string, folder: string, name: string) {
  const file = path.join(folder, `clock-${name}`)
  fs.writeFileSync(file, '+0\n')
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // The time zone does not matter, because absolute times are seconds since the epoch.
      FAKETIME_FMT: '%s',
    },
    /** The file is renamed into place, so that a reader never sees a partial write. */
    follow({ offsetMs, frozenAtMs }: ClockShift): void {
      const sign = offsetMs < 0 ? '-' : '+'
      const text = frozenAtMs === null ? `${sign}${seconds(Math.abs(offsetMs))}` : seconds(frozenAtMs)
      fs.writeFileSync(`${file}.new`, `${text}\n`)
      fs.renameSync(`${file}.new`, file)
    },
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)
