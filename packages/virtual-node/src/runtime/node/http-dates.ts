/**
 * The header `Date` of an HTTP message: Node makes it with an internal clock, which it reads once a
 * second for all code.
 */
import type http from 'node:http'
import { replaceFunction } from './replace.ts'

type Stored = { _header: string; sendDate: boolean }
type Headers = Record<string, unknown> | readonly unknown[] | null | undefined

export function replaceDates({ OutgoingMessage }: typeof http): void {
  const prototype = OutgoingMessage.prototype as unknown as { _storeHeader(firstLine: string, headers: Headers): void }
  const real = prototype._storeHeader
  replaceFunction(prototype, '_storeHeader', function (this: Stored, process, firstLine: string, headers: Headers) {
    Reflect.apply(real, this, [firstLine, headers])
    if (!this.sendDate || namesOf(headers).includes('date')) return
    const date = new Date(process.wallMs()).toUTCString()
    this._header = this._header.replace(/\r\nDate: .*\r\n/, `\r\nDate: ${date}\r\n`)
  })
}

/**
 * The names of headers in the forms that `_storeHeader` takes: by name, as one list, or as a list
 * of pairs.
 */
function namesOf(headers: Headers): string[] {
  if (!Array.isArray(headers)) return Object.keys(headers ?? {}).map((name) => name.toLowerCase())
  const names = Array.isArray(headers[0]) ? headers.map(([name]) => name) : headers.filter((_, at) => at % 2 === 0)
  return names.map((name) => String(name).toLowerCase())
}
