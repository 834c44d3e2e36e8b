/**
 * The time zone of every process is UTC, for local times of `Date`, and for texts without a zone.
 */
import { real } from '../real.ts'
import { replaceFunction } from './replace.ts'

type DateMethod = (this: Date, ...args: never[]) => unknown

const fields = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds']

/** Parses `Thu, 01 Jan 1970 00:00:00 GMT`. */
const utcText = /^(\w{3}), (\d\d) (\w{3}) (-?\d+) (\S+) GMT$/

function dateText(date: Date): string | null {
  const [, weekday, day, month, year] = utcText.exec(real.Date.prototype.toUTCString.call(date)) ?? []
  return weekday === undefined ? null : `${weekday} ${month} ${day} ${year}`
}

function timeText(date: Date): string {
  const [, , , , , time] = utcText.exec(real.Date.prototype.toUTCString.call(date))!
  return `${time} GMT+0000 (Coordinated Universal Time)`
}

const invalid = 'Invalid Date'

export function installZone(): void {
  const { prototype } = real.Date
  const methods = prototype as unknown as Record<string, DateMethod>
  for (const name of [...fields.flatMap((field) => [`get${field}`, `set${field}`]), 'getDay']) {
    const utc = methods[name.replace(/^.et/, '$&UTC')]!
    replaceFunction(prototype, name, function (this: Date, _process, ...args: never[]) {
      return Reflect.apply(utc, this, args)
    })
  }
  const year = methods.getUTCFullYear!
  const setYear = methods.setUTCFullYear as (this: Date, value: number) => number
  replaceFunction(prototype, 'getYear', function (this: Date) {
    return (year.call(this) as number) - 1900
  })
  replaceFunction(prototype, 'setYear', function (this: Date, _process, value: number) {
    const whole = Math.trunc(Number(value))
    return setYear.call(this, whole >= 0 && whole <= 99 ? 1900 + whole : Number(value))
  })
  replaceFunction(prototype, 'getTimezoneOffset', function (this: Date) {
    return Number.isNaN(this.valueOf()) ? Number.NaN : 0
  })
  replaceFunction(prototype, 'toDateString', function (this: Date) {
    return dateText(this) ?? invalid
  })
  replaceFunction(prototype, 'toTimeString', function (this: Date) {
    return dateText(this) === null ? invalid : timeText(this)
  })
  replaceFunction(prototype, 'toString', function (this: Date) {
    const day = dateText(this)
    return day === null ? invalid : `${day} ${timeText(this)}`
  })
}

const isoDate = /^(?:\d{4}|[+-]\d{6})(?:-\d\d(?:-\d\d)?)?$/
const isoTime = /^(?:\d{4}|[+-]\d{6})(?:-\d\d(?:-\d\d)?)?T[\d:.]+$/
const zoneName = /(?:^|[^a-z])(?:z|ut|utc|gmt|[ecmp][sd]t)(?![a-z])/i
const offsetAfterTime = /:\d\d.*[+-]\s*\d/

/**
 * `Date.parse` with UTC as local time. A text in ECMA-262's format without an offset is local time
 * if it has a time of day, and UTC otherwise; V8's other formats are local time unless they name a
 * zone (https://tc39.es/ecma262/#sec-date.parse).
 */
export function parseAsUtc(text: string): number {
  const bare = text.replace(/\([^)]*\)/g, ' ').trim()
  if (isoDate.test(bare)) return real.Date.parse(text)
  if (isoTime.test(bare)) return real.Date.parse(`${bare}Z`)
  if (zoneName.test(bare) || offsetAfterTime.test(bare)) return real.Date.parse(text)
  const utc = real.Date.parse(`${bare} UTC`)
  return Number.isNaN(utc) ? real.Date.parse(text) : utc
}
