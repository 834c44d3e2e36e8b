/**
 * Replaces positions in a bundle, in the output of consumers, by positions in the adapter's
 * sources. This is done after the end of the run, because reading a source map takes tenths of a
 * second and would block a consumer or the harness.
 */
import fs from 'node:fs'
import { SourceMap } from 'node:module'
import path from 'node:path'
import type { HistoryEvent } from '../../contract/api/history.ts'
import type { Program, Version } from './consumer-process.ts'

const mapped = /\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/m

export function withSourcePositions(events: readonly HistoryEvent[], program: Program): HistoryEvent[] {
  const positions = [program, ...(program.next === undefined ? [] : [program.next])].map(inSources)
  return events.map((event) =>
    event.type === 'log' ? { ...event, text: positions.reduce((text, reported) => reported(text), event.text) } : event,
  )
}

/** Replaces positions in a version's bundle by positions in its sources. */
function inSources({ adapter, source }: Version): (text: string) => string {
  const place = `${adapter}:`
  let map: SourceMap | null | undefined
  const inSource = (text: string): string => {
    const [whole, line, column] = /^(\d+):(\d+)/.exec(text) ?? []
    if (whole === undefined) return place + text
    if (map === undefined) map = mapIn(adapter)
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !('originalSource' in entry)) return place + text
    const file = path.relative('', path.resolve(path.dirname(source), entry.originalSource))
    return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}${text.slice(whole.length)}`
  }
  return (text) => {
    const [before = '', ...rest] = text.split(place)
    return before + rest.map(inSource).join('')
  }
}

function mapIn(bundle: string): SourceMap | null {
  const encoded = mapped.exec(fs.readFileSync(bundle, 'utf8'))?.[1]
  return encoded === undefined ? null : new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()))
}
