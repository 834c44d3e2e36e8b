/** The value types of redis.conf parameters, parsed and printed as Redis does. */
import type { RedisConfig } from './config.ts'
import { parseInt64 } from './numbers/int64.ts'

/** A redis.conf parameter that affects the simulation. */
export interface Parameter {
  readonly immutable: boolean
  read(config: RedisConfig): string
  readonly problem: Problem
  write(config: RedisConfig, text: string): void
}

export type Parameters = { readonly [name: string]: Parameter }

/** Returns Redis's reason for refusing a value; undefined if the value is valid. */
export type Problem = (text: string) => string | undefined

type NamesOf<T> = { [K in keyof RedisConfig]: RedisConfig[K] extends T ? K : never }[keyof RedisConfig]
type NumberName = NamesOf<number>
type FlagName = NamesOf<boolean>
/** The names of the fields that hold arbitrary text. */
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

/** Refuses values that are not integers in this range. */
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

/** Refuses values that are not numbers of bytes of at least `least`. */
export function bytesBetween(least: number): Problem {
  return (value) => {
    const parsed = bytes(value)
    return parsed === undefined ? 'argument must be a memory value' : outside(parsed, least, Infinity)
  }
}

/** A number of bytes, with or without a unit. Source: memtoull of Redis 7.0. */
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

/** The number of bytes of a valid value, which may have any unit of Redis. */
export function bytesOf(value: string): number {
  return bytes(value)!
}

export function oneOf(values: readonly string[]): string {
  return `argument(s) must be one of the following: ${values.join(', ')}`
}
