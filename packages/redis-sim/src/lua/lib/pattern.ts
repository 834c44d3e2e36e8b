/**
 * Lua 5.1 patterns: a backtracking matcher over bytes. Like Lua's matcher in C, it reads the end of
 * a pattern as a NUL byte, so malformed patterns raise the same errors.
 */
import { charge } from '../runtime/effort.ts'
import { raise } from '../runtime/errors.ts'
import type { LuaValue } from '../runtime/values.ts'

const maxCaptures = 32
const unfinished = -1
const positionCapture = -2

interface Capture {
  start: number
  length: number
}

const percent = 37

/** A repeated class costs one step of the budget for this number of matched characters. */
const charactersOfStep = 8

const classes: Record<string, (c: number) => boolean> = {
  a: (c) => (c >= 65 && c <= 90) || (c >= 97 && c <= 122),
  c: (c) => c < 32 || c === 127,
  d: (c) => c >= 48 && c <= 57,
  l: (c) => c >= 97 && c <= 122,
  p: (c) => (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126),
  s: (c) => c === 32 || (c >= 9 && c <= 13),
  u: (c) => c >= 65 && c <= 90,
  w: (c) => (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122),
  x: (c) => (c >= 48 && c <= 57) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102),
  z: (c) => c === 0,
}

function inClass(c: number, classCode: number): boolean {
  const letter = String.fromCharCode(classCode)
  const lower = letter.toLowerCase()
  const test = classes[lower]
  if (!test) return classCode === c
  return letter === lower ? test(c) : !test(c)
}

export class Matcher {
  captures: Capture[] = []

  constructor(
    readonly subject: string,
    readonly pattern: string,
  ) {}

  private p(index: number): number {
    return index < this.pattern.length ? this.pattern.charCodeAt(index) : 0
  }

  private s(index: number): number {
    return index >= 0 && index < this.subject.length ? this.subject.charCodeAt(index) : 0
  }

  /** Matches the pattern from `p` at exactly `s`. Returns the end of the match, or -1. */
  matchAt(s: number, p: number): number {
    this.captures = []
    return this.match(s, p)
  }

  private match(s: number, p: number): number {
    charge(1)
    for (;;) {
      if (p >= this.pattern.length) return s
      const c = this.p(p)
      if (c === 40) {
        return this.p(p + 1) === 41 ? this.open(s, p + 2, positionCapture) : this.open(s, p + 1, unfinished)
      }
      if (c === 41) return this.close(s, p + 1)
      if (c === percent) {
        const kind = this.p(p + 1)
        if (kind === 98) {
          s = this.balance(s, p + 2)
          if (s === -1) return -1
          p += 4
          continue
        }
        if (kind === 102) {
          const end = this.frontier(s, p + 2)
          if (end === -1) return -1
          p = end
          continue
        }
        if (kind >= 48 && kind <= 57) {
          s = this.back(s, kind)
          if (s === -1) return -1
          p += 2
          continue
        }
      } else if (c === 36 && p + 1 === this.pattern.length) return s === this.subject.length ? s : -1
      const end = this.classEnd(p)
      const suffix = this.p(end)
      if (suffix === 63) {
        if (this.single(s, p, end)) {
          const result = this.match(s + 1, end + 1)
          if (result !== -1) return result
        }
        p = end + 1
      } else if (suffix === 42) return this.most(s, p, end)
      else if (suffix === 43) return this.single(s, p, end) ? this.most(s + 1, p, end) : -1
      else if (suffix === 45) return this.least(s, p, end)
      else {
        if (!this.single(s, p, end)) return -1
        s++
        p = end
      }
    }
  }

  private frontier(s: number, p: number): number {
    if (this.p(p) !== 91) raise("missing '[' after '%f' in pattern")
    const end = this.classEnd(p)
    const before = s === 0 ? 0 : this.s(s - 1)
    return this.set(before, p, end - 1) || !this.set(this.s(s), p, end - 1) ? -1 : end
  }

  private single(s: number, p: number, end: number): boolean {
    if (s >= this.subject.length) return false
    const c = this.subject.charCodeAt(s)
    switch (this.p(p)) {
      case 46:
        return true
      case percent:
        return inClass(c, this.p(p + 1))
      case 91:
        return this.set(c, p, end - 1)
      default:
        return this.p(p) === c
    }
  }

  /** True if the character `c` is in the set from `[` at `p` to `]` at `end`. */
  private set(c: number, p: number, end: number): boolean {
    let found = true
    if (this.p(p + 1) === 94) {
      found = false
      p++
    }
    while (++p < end) {
      if (this.p(p) === percent) {
        p++
        if (inClass(c, this.p(p))) return found
      } else if (this.p(p + 1) === 45 && p + 2 < end) {
        p += 2
        if (this.p(p - 2) <= c && c <= this.p(p)) return found
      } else if (this.p(p) === c) return found
    }
    return !found
  }

  private classEnd(p: number): number {
    const c = this.p(p++)
    if (c === percent) {
      if (p >= this.pattern.length) raise("malformed pattern (ends with '%')")
      return p + 1
    }
    if (c !== 91) return p
    if (this.p(p) === 94) p++
    do {
      if (p >= this.pattern.length) raise("malformed pattern (missing ']')")
      if (this.p(p++) === percent && p < this.pattern.length) p++
    } while (this.p(p) !== 93 || p >= this.pattern.length)
    return p + 1
  }

  private most(s: number, p: number, end: number): number {
    let count = 0
    while (this.single(s + count, p, end)) count++
    charge(count / charactersOfStep)
    for (; count >= 0; count--) {
      const result = this.match(s + count, end + 1)
      if (result !== -1) return result
    }
    return -1
  }

  private least(s: number, p: number, end: number): number {
    for (;;) {
      const result = this.match(s, end + 1)
      if (result !== -1) return result
      if (!this.single(s, p, end)) return -1
      s++
    }
  }

  private open(s: number, p: number, kind: number): number {
    if (this.captures.length >= maxCaptures) raise('too many captures')
    this.captures.push({ start: s, length: kind })
    const result = this.match(s, p)
    if (result === -1) this.captures.pop()
    return result
  }

  private close(s: number, p: number): number {
    const capture = this.captures.findLast(({ length }) => length === unfinished)
    if (!capture) raise('invalid pattern capture')
    capture.length = s - capture.start
    const result = this.match(s, p)
    if (result === -1) capture.length = unfinished
    return result
  }

  private balance(s: number, p: number): number {
    if (p + 1 >= this.pattern.length) raise('unbalanced pattern')
    const open = this.p(p)
    const close = this.p(p + 1)
    if (s >= this.subject.length || this.s(s) !== open) return -1
    for (let depth = 1, at = s + 1; at < this.subject.length; at++) {
      const c = this.s(at)
      if (c === close) {
        if (--depth === 0) return at + 1
      } else if (c === open) depth++
    }
    return -1
  }

  private back(s: number, digit: number): number {
    const capture = this.captures[digit - 49]
    if (digit === 48 || !capture || capture.length === unfinished) raise('invalid capture index')
    const text = this.subject.substr(capture.start, Math.max(capture.length, 0))
    return this.subject.startsWith(text, s) ? s + text.length : -1
  }

  capture(index: number, start: number, end: number): LuaValue {
    const capture = this.captures[index]
    if (!capture) {
      if (index !== 0) raise('invalid capture index')
      return this.subject.slice(start, end)
    }
    if (capture.length === unfinished) raise('unfinished capture')
    if (capture.length === positionCapture) return capture.start + 1
    return this.subject.substr(capture.start, capture.length)
  }

  /**
   * All captures. If the pattern has no captures and `whole` is true, the result is the whole
   * match.
   */
  allCaptures(start: number, end: number, whole: boolean): LuaValue[] {
    const count = this.captures.length === 0 && whole ? 1 : this.captures.length
    return Array.from({ length: count }, (_, index) => this.capture(index, start, end))
  }
}
