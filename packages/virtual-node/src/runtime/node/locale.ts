/**
 * The locale of every process is en-US and its time zone UTC, if calls of `Intl` and `toLocale…`
 * name no other locale or zone.
 */
import { caller } from '../current.ts'
import { real } from '../real.ts'
import { replaceFunction } from './replace.ts'
import { locale, zone } from './sees.ts'

/** If `Intl` knows none of the given locales, it uses the last one: the locale of all processes. */
function localesOf(given: unknown): unknown {
  if (given === undefined) return locale
  if (given === null) return given
  return [...(Array.isArray(given) ? given : [given]), locale]
}

function optionsOf(given: unknown): unknown {
  if (given === undefined) return { timeZone: zone }
  if (typeof given !== 'object' || given === null || (given as { timeZone?: unknown }).timeZone !== undefined)
    return given
  return Object.create(given, { timeZone: { value: zone, enumerable: true } })
}

type Constructor = new (...args: unknown[]) => object

const constructors =
  'Collator DateTimeFormat DisplayNames DurationFormat ListFormat NumberFormat PluralRules RelativeTimeFormat Segmenter'

function replaceConstructor(name: string): void {
  const intl = Intl as unknown as Record<string, Constructor>
  const realConstructor = intl[name]
  if (realConstructor === undefined) return
  const ofProcess = ([locales, options, ...rest]: unknown[]): unknown[] => {
    const withZone = name === 'DateTimeFormat' ? optionsOf(options) : options
    return withZone === undefined ? [localesOf(locales)] : [localesOf(locales), withZone, ...rest]
  }
  const replacement: Constructor = new Proxy(realConstructor, {
    apply: (target, self, args) => Reflect.apply(target as never, self, caller() === null ? args : ofProcess(args)),
    construct: (target, args, newTarget) =>
      Reflect.construct(
        target,
        caller() === null ? args : ofProcess(args),
        newTarget === replacement ? target : newTarget,
      ),
  })
  Object.defineProperty(intl, name, { value: replacement, writable: true, enumerable: false, configurable: true })
  Object.defineProperty(realConstructor.prototype, 'constructor', {
    value: replacement,
    writable: true,
    enumerable: false,
    configurable: true,
  })
}

/** `at`: the index of the locales in the arguments; the options follow. */
function replaceLocaleFunction(owner: object, name: string, at: number, hasZone: boolean): void {
  const realFunction = (owner as Record<string, (...args: unknown[]) => unknown>)[name]!
  replaceFunction(owner, name, function (this: unknown, _process, ...args: unknown[]) {
    const before = args.slice(0, at)
    while (before.length < at) before.push(undefined)
    const options = hasZone ? optionsOf(args[at + 1]) : args[at + 1]
    return Reflect.apply(realFunction, this, [...before, localesOf(args[at]), options])
  })
}

/** Formatters without a date use the current time, in a process the time of its clock. */
function replacePresent(): void {
  const { prototype } = Intl.DateTimeFormat
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')!
  const present = (date: unknown): unknown => (date === undefined ? (caller()?.wallMs() ?? real.Date.now()) : date)
  const bound = new WeakMap<object, (date?: unknown) => string>()
  Object.defineProperty(prototype, 'format', {
    ...format,
    get(this: object) {
      const realFormat = Reflect.apply(format.get!, this, []) as (date: unknown) => string
      let formatting = bound.get(this)
      if (formatting === undefined) bound.set(this, (formatting = (date) => realFormat(present(date))))
      return formatting
    },
  })
  const parts = prototype.formatToParts
  replaceFunction(prototype, 'formatToParts', function (this: Intl.DateTimeFormat, _process, date: unknown) {
    return Reflect.apply(parts, this, [present(date)])
  })
}

export function installLocale(): void {
  for (const name of constructors.split(' ')) replaceConstructor(name)
  replacePresent()
  replaceLocaleFunction(String.prototype, 'localeCompare', 1, false)
  for (const name of ['toLocaleUpperCase', 'toLocaleLowerCase']) replaceLocaleFunction(String.prototype, name, 0, false)
  for (const { prototype } of [Number, BigInt]) replaceLocaleFunction(prototype, 'toLocaleString', 0, false)
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])
    replaceLocaleFunction(real.Date.prototype, name, 0, true)
}
