import { realNames } from '../reference/real-names.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { type SettingKind, settingTable } from './setting-table.ts'

/** Values that differ from the defaults, by the setting's name in lower case. */
export type SettingValues = ReadonlyMap<string, string>

/**
 * The values of SET (`session`) and of SET LOCAL (`local`). Values of SET LOCAL take precedence.
 */
export interface SettingState {
  readonly session: SettingValues
  readonly local: SettingValues
}

/** The reported settings. They are session settings and not durations, as `plain` requires. */
const reportedKinds = settingTable
  .filter(({ reported }) => reported)
  .map(({ name }) => ({ name, lower: name.toLowerCase() }))

const kinds = new Map(settingTable.map((kind) => [kind.name.toLowerCase(), kind]))

const milliseconds: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** The settings of one session, for SET, SET LOCAL, SHOW and RESET. */
export class Settings {
  private readonly initial: SettingValues
  private now: SettingState
  /** Cache of current values, because statements read the same few settings repeatedly. */
  private readonly known = new Map<string, string>()
  /**
   * Custom settings (with a dot in the name) that were set. After a reset, their value is an empty
   * text.
   */
  private readonly custom = new Set<string>()
  private readonly changed: (name: string, value: string) => void
  /** Settings of the current transaction, such as its isolation level. They take precedence. */
  transaction: { settingOf(name: string): string | null } | null = null

  constructor(given: Readonly<Record<string, string>>, changed: (name: string, value: string) => void) {
    const values = new Map<string, string>()
    for (const [name, value] of Object.entries(given)) {
      const kind = kinds.get(name.toLowerCase())
      if (kind) values.set(name.toLowerCase(), normal(kind, value))
    }
    this.initial = values
    this.now = { session: values, local: new Map() }
    this.changed = changed
  }

  get state(): SettingState {
    return this.now
  }

  /** Returns null if the setting does not exist and `mayMiss` is true. @throws SqlError 42704 */
  show(name: string, mayMiss = false): string | null {
    const lower = name.toLowerCase()
    const kind = kinds.get(lower)
    const value = this.transaction?.settingOf(lower) ?? this.valueOf(lower) ?? (this.custom.has(lower) ? '' : undefined)
    if (value === undefined) {
      if (mayMiss && !realNames().settings.has(lower)) return null
      throw unrecognized(name)
    }
    return kind?.kind === 'milliseconds' ? spanText(Number(value)) : value
  }

  private valueOf(lower: string): string | undefined {
    const known = this.known.get(lower)
    if (known !== undefined) return known
    const { session, local } = this.now
    const value = local.get(lower) ?? session.get(lower) ?? kinds.get(lower)?.fallback
    if (value !== undefined) this.known.set(lower, value)
    return value
  }

  /** The value of an existing session setting that is not a duration. The name is in lower case. */
  plain(lower: string): string {
    return this.valueOf(lower)!
  }

  titleOf(name: string): string {
    return kinds.get(name.toLowerCase())?.name ?? name
  }

  milliseconds(name: string): number {
    return Number(this.valueOf(name))
  }

  set(name: string, value: string, local: boolean): void {
    const lower = name.toLowerCase()
    const kind = kinds.get(lower)
    if (!kind && !/^[a-z_]\w*(\.[a-z_]\w*)+$/i.test(name)) throw unrecognized(name)
    if (kind?.fixed) throw new SqlError('55P02', `parameter "${kind.name}" cannot be changed`)
    this.put(lower, kind ? normal(kind, value) : value, local)
  }

  /** Normalizes a value of a setting that is stored elsewhere. @throws SqlError 22023 */
  checked(name: string, value: string): string {
    return normal(kinds.get(name)!, value)
  }

  private put(lower: string, value: string, local: boolean): void {
    if (!kinds.has(lower)) this.custom.add(lower)
    const { now } = this
    if (local) return this.restore({ session: now.session, local: new Map([...now.local, [lower, value]]) })
    this.restore({
      session: new Map([...now.session, [lower, value]]),
      local: new Map([...now.local].filter(([one]) => one !== lower)),
    })
  }

  /**
   * Executes RESET and SET … TO DEFAULT. If `name` is null, resets all settings. @throws SqlError
   * 42704, 55P02
   */
  reset(name: string | null, local = false): void {
    const { now } = this
    const names = name === null ? new Set([...now.session.keys(), ...now.local.keys()]) : [name.toLowerCase()]
    for (const one of names) {
      const kind = kinds.get(one)
      if (!kind && !one.includes('.')) throw unrecognized(one)
      if (kind?.fixed) throw new SqlError('55P02', `parameter "${kind.name}" cannot be changed`)
      this.put(one, this.initial.get(one) ?? kind?.fallback ?? '', local)
    }
  }

  /** Restores earlier values after a rollback. Clients are notified of reported changes. */
  restore(state: SettingState): void {
    if (state === this.now) return
    const before = new Map(this.reported())
    this.now = state
    this.known.clear()
    for (const [name, value] of this.reported()) if (before.get(name) !== value) this.changed(name, value)
  }

  /** Drops the values of SET LOCAL at the end of a transaction. */
  endLocal(): void {
    if (this.now.local.size > 0) this.restore({ session: this.now.session, local: new Map() })
  }

  reported(): [name: string, value: string][] {
    return reportedKinds.map(({ name, lower }) => [name, this.plain(lower)])
  }
}

function unrecognized(name: string): SqlError {
  if (realNames().settings.has(name.toLowerCase())) throw new UnsupportedSql(`the setting ${name}`)
  return new SqlError('42704', `unrecognized configuration parameter "${name}"`)
}

function normal(kind: SettingKind, value: string): string {
  const bad = (hint?: string) =>
    new SqlError('22023', `invalid value for parameter "${kind.name}": "${value}"`, hint === undefined ? {} : { hint })
  switch (kind.kind) {
    case 'boolean': {
      const word = value.toLowerCase()
      const yes = ['on', 'true', 'yes', '1']
      const no = ['off', 'false', 'no', '0']
      if (yes.some((one) => word !== '' && one.startsWith(word) && word !== 'o')) return 'on'
      if (no.some((one) => word !== '' && one.startsWith(word) && word !== 'o')) return 'off'
      throw new SqlError('22023', `parameter "${kind.name}" requires a Boolean value`)
    }
    case 'choice': {
      const word = value.toLowerCase()
      const alias =
        kind.name === 'synchronous_commit'
          ? ({ true: 'on', yes: 'on', 1: 'on', false: 'off', no: 'off', 0: 'off' }[word] ?? word)
          : word
      if (kind.choices!.includes(alias)) return alias
      throw bad(`Available values: ${kind.choices!.join(', ')}.`)
    }
    case 'milliseconds':
    case 'integer': {
      const found = /^\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(value)
      const unit = found?.[2] === '' ? 1 : kind.kind === 'milliseconds' ? milliseconds[found?.[2] ?? ''] : undefined
      if (!found || unit === undefined) {
        throw bad(
          found && kind.kind === 'milliseconds'
            ? 'Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".'
            : undefined,
        )
      }
      const number = Math.round(Number(found[1]) * unit)
      const [least, most] = kind.range!
      if (number < least || number > most) {
        const unitName = kind.kind === 'milliseconds' ? ' ms' : ''
        throw new SqlError(
          '22023',
          `${number}${unitName} is outside the valid range for parameter "${kind.name}" (${least} .. ${most})`,
        )
      }
      return String(number)
    }
    default:
      return textual(kind, value)
  }
}

function textual(kind: SettingKind, value: string): string {
  if (kind.name === 'TimeZone') {
    if (/^(utc|gmt|etc\/utc)$/i.test(value))
      return value.toLowerCase() === 'gmt' ? 'GMT' : value.toLowerCase() === 'etc/utc' ? 'Etc/UTC' : 'UTC'
    throw new UnsupportedSql(`the time zone ${value}`)
  }
  if (kind.name === 'client_encoding') {
    if (/^(utf-?8|unicode)$/i.test(value)) return value.toLowerCase() === 'utf8' ? 'UTF8' : value
    throw new UnsupportedSql(`the encoding ${value}`)
  }
  if (kind.name === 'DateStyle' && !/^iso(,\s*mdy)?$/i.test(value)) throw new UnsupportedSql(`the date style ${value}`)
  if (kind.name === 'DateStyle') return 'ISO, MDY'
  if (kind.name === 'search_path' && !/\bpublic\b/.test(value)) throw new UnsupportedSql(`the search path ${value}`)
  return value
}

/** Formats a duration in the largest unit that divides it: `2s`, `1500ms`, `0`. */
function spanText(value: number): string {
  if (value === 0) return '0'
  for (const unit of ['d', 'h', 'min', 's'] as const) {
    if (value % milliseconds[unit]! === 0) return `${value / milliseconds[unit]!}${unit}`
  }
  return `${value}ms`
}
