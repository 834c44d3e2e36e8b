/**
 * The sparse form of a HyperLogLog: consecutive runs of registers. Runs are split and joined as in
 * hyperloglog.c of Redis 7.0, because this determines the bytes.
 */
import { registerCount } from './element-hash.ts'

/** A run of registers with the same value. `value` is 0 if the registers are not set. */
export interface Run {
  readonly value: number
  readonly length: number
  /** True for a run of zeros that is encoded in two bytes. */
  readonly wide: boolean
}

const longestZeros = 64
const longestWideZeros = 16384
const longestValues = 4
export const highestValue = 32
/** Number of runs that are checked for joining after a change. */
const joinedAtOnce = 5

/** Parses runs. The result may not cover all registers: see `registersOfRuns`. */
export function readRuns(bytes: string): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at)
    if (byte >= 0x80) runs.push({ value: ((byte >> 2) & 0x1f) + 1, length: (byte & 3) + 1, wide: false })
    else if (byte < 0x40) runs.push({ value: 0, length: byte + 1, wide: false })
    else runs.push({ value: 0, length: (((byte & 0x3f) << 8) | (bytes.charCodeAt(++at) || 0)) + 1, wide: true })
  }
  return runs
}

export function writeRuns(runs: readonly Run[]): string {
  return runs
    .map(({ value, length, wide }) => {
      if (value > 0) return String.fromCharCode(0x80 | ((value - 1) << 2) | (length - 1))
      const rest = length - 1
      return wide ? String.fromCharCode(0x40 | (rest >> 8), rest & 0xff) : String.fromCharCode(rest)
    })
    .join('')
}

export function emptyRuns(): Run[] {
  return [{ value: 0, length: longestWideZeros, wide: true }]
}

export function runsBytes(runs: readonly Run[]): number {
  return runs.reduce((bytes, { wide }) => bytes + (wide ? 2 : 1), 0)
}

/** Null if the runs do not cover exactly all registers. */
export function registersOfRuns(runs: readonly Run[]): Uint8Array | null {
  const registers = new Uint8Array(registerCount)
  let at = 0
  for (const { value, length } of runs) {
    if (value > 0 && at + length > registerCount) return null
    if (value > 0) registers.fill(value, at, at + length)
    at += length
  }
  return at === registerCount ? registers : null
}

/**
 * Raises one register. `unchanged`: the register already has this value or a higher one; `corrupt`:
 * no run contains the register; `dense`: the sparse form cannot represent the value, or would
 * exceed `mostBytes`.
 */
export function raiseInRuns(
  runs: Run[],
  register: number,
  value: number,
  mostBytes: number,
): 'raised' | 'unchanged' | 'corrupt' | 'dense' {
  if (value > highestValue) return 'dense'
  let at = 0
  let first = 0
  while (at < runs.length && register > first + runs[at]!.length - 1) first += runs[at++]!.length
  const run = runs[at]
  if (run === undefined) return 'corrupt'
  if (run.value >= value) return 'unchanged'
  const raised: Run = { value, length: 1, wide: false }
  if (run.length === 1 && !run.wide) runs[at] = raised
  else {
    const part = (length: number): Run[] =>
      length === 0 ? [] : [{ value: run.value, length, wide: run.value === 0 && length > longestZeros }]
    const parts = [...part(register - first), raised, ...part(first + run.length - 1 - register)]
    const added = runsBytes(parts) - (run.wide ? 2 : 1)
    if (added > 0 && runsBytes(runs) + added > mostBytes) return 'dense'
    runs.splice(at, 1, ...parts)
  }
  join(runs, Math.max(0, at - 1))
  return 'raised'
}

/** Joins neighboring runs with the same value, up to the maximum length of a run. */
function join(runs: Run[], from: number): void {
  let at = from
  for (let looked = 0; looked < joinedAtOnce && at < runs.length; looked++) {
    const run = runs[at]!
    const next = runs[at + 1]
    if (run.value > 0 && next?.value === run.value && run.length + next.length <= longestValues) {
      runs.splice(at, 2, { ...run, length: run.length + next.length })
    } else at++
  }
}
