/** The kinds of values that parameters of redis.conf take, read and written as Redis does. */
import type { RedisConfig } from './config.ts'
import { parseInt64 } from './numbers/int64.ts'

/** One parameter of redis.conf that the simulation obeys. */
export interface Parameter {
  readonly immutable: boolean
  read(config: RedisConfig): string
  readonly problem: Problem
  write(config: RedisConfig, text: string): void
}

export type Parameters = { readonly [name: string]: Parameter }

/** Why a value is refused, in Redis's words; undefined when it is fine. */
export type Problem = (text: string) => string | undefined

type NamesOf<T> = { [K in keyof RedisConfig]: RedisConfig[K] extends T ? K : never }[keyof RedisConfig]
type NumberName = NamesOf<number>
type FlagName = NamesOf<boolean>
/** Those that hold any text. */
type TextName = { [K in keyof RedisConfig]: string extends RedisConfig[K] ? K : never }[keyof RedisConfig]

export function text(field: TextName, immutable = false): Parameter {
  return {
    immutable,
    read: (config) => config[field],
    problem: () => undefined,
    write: (config, value) => {
      config[field] = value
    },
  }
}

export function number(field: NumberName, immutable = false, least = 0, most = Infinity): Parameter {
  return {
    immutable,
    read: (config) => String(config[field]),
    problem: integerBetween(least, most),
    write: (config, value) => {
      config[field] = Number(value)
    },
  }
}

/** Why a value is no integer between these. */
export function integerBetween(least: number, most = Infinity): Problem {
  return (value) => {
    const parsed = parseInt64(value)
    return parsed === undefined ? "argument couldn't be parsed into an integer" : outside(parsed, least, most)
  }
}

function outside(value: number | bigint, least: number, most: number): string | undefined {
  if (value >= least && value <= most) return undefined
  return `argument must be between ${least} and ${most === Infinity ? '9223372036854775807' : most} inclusive`
}

export function yesNo(field: FlagName, immutable = false): Parameter {
  return {
    immutable,
    read: (config) => (config[field] ? 'yes' : 'no'),
    problem: isYesNo,
    write: (config, value) => {
      config[field] = value.toLowerCase() === 'yes'
    },
  }
}

export const isYesNo: Problem = (value) => (/^(yes|no)$/i.test(value) ? undefined : "argument must be 'yes' or 'no'")

/** Why a value is no number of bytes between these. */
export function bytesBetween(least: number): Problem {
  return (value) => {
    const parsed = bytes(value)
    return parsed === undefined ? 'argument must be a memory value' : outside(parsed, least, Infinity)
  }
}

/** Bytes, given with a unit or without. Source: memtoull of Redis 7.0. */
export function memory(field: NumberName, least = 0): Parameter {
  return {
    ...number(field),
    problem: bytesBetween(least),
    write: (config, value) => {
      config[field] = bytes(value)!
    },
  }
}

function bytes(value: string): number | undefined {
  const [, digits, unit] = /^(\d+)(b|kb?|mb?|gb?)?$/i.exec(value) ?? []
  return digits === undefined ? undefined : Number(digits) * units[unit?.toLowerCase() ?? '']!
}

const units: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1024,
  m: 1e6,
  mb: 1024 ** 2,
  g: 1e9,
  gb: 1024 ** 3,
}

/** As Redis takes it, with any unit. */
export function bytesOf(value: string): number {
  return bytes(value)!
}

export function oneOf(values: readonly string[]): string {
  return `argument(s) must be one of the following: ${values.join(', ')}`
}
