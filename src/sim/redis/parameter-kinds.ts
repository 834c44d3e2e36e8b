/** The kinds of values that parameters of redis.conf take, read and written as Redis does. */
import type { RedisConfig } from './config.ts'
import { parseInt64 } from './numbers/int64.ts'

/** One parameter of redis.conf that the simulation obeys. */
export interface Parameter {
  readonly immutable: boolean
  read(config: RedisConfig): string
  /** Why a value is refused, in Redis's words; undefined when it is fine. */
  problem(text: string): string | undefined
  write(config: RedisConfig, text: string): void
}

export type Parameters = { readonly [name: string]: Parameter }

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

/** Bounds are obeyed where they are given. */
export function number(field: NumberName, immutable = false, least = -Infinity, most = Infinity): Parameter {
  return {
    immutable,
    read: (config) => String(config[field]),
    problem: (value) => {
      const parsed = parseInt64(value)
      if (parsed === undefined) return "argument couldn't be parsed into an integer"
      return parsed < least || parsed > most
        ? `argument must be between ${least} and ${most === Infinity ? '9223372036854775807' : most} inclusive`
        : undefined
    },
    write: (config, value) => {
      config[field] = Number(value)
    },
  }
}

export function yesNo(field: FlagName, immutable = false): Parameter {
  return {
    immutable,
    read: (config) => (config[field] ? 'yes' : 'no'),
    problem: (value) => (/^(yes|no)$/i.test(value) ? undefined : "argument must be 'yes' or 'no'"),
    write: (config, value) => {
      config[field] = value.toLowerCase() === 'yes'
    },
  }
}

/** Bytes, given with a unit or without. Source: memtoull of Redis 7.0. */
export function memory(field: NumberName): Parameter {
  return {
    ...number(field),
    problem: (value) => (bytes(value) === undefined ? 'argument must be a memory value' : undefined),
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

export function oneOf(values: readonly string[]): string {
  return `argument(s) must be one of the following: ${values.join(', ')}`
}
