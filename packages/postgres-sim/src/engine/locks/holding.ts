import type { LockHolder } from './lock-manager.ts'
import { bitOf, conflictsWithAny, type Mode } from './modes.ts'

/** The modes of one lock that a session holds, each once or several times. */
export class Holding {
  readonly holder: LockHolder
  private bits = 0
  /** Number of additional grants by mode; null in the usual case that each mode is held once. */
  private more: Map<Mode, number> | null = null

  constructor(holder: LockHolder) {
    this.holder = holder
  }

  get isEmpty(): boolean {
    return this.bits === 0
  }

  has(mode: Mode): boolean {
    return (this.bits & bitOf(mode)) !== 0
  }

  grant(mode: Mode): void {
    if (!this.has(mode)) this.bits |= bitOf(mode)
    else {
      this.more ??= new Map()
      this.more.set(mode, (this.more.get(mode) ?? 0) + 1)
    }
  }

  /** Releases one grant. The holder must have the mode. */
  release(mode: Mode): void {
    const more = this.more?.get(mode) ?? 0
    if (more > 0) this.more!.set(mode, more - 1)
    else this.bits &= ~bitOf(mode)
  }

  conflictsWith(mode: Mode): boolean {
    return conflictsWithAny(mode, this.bits)
  }
}
