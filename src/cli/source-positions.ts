/**
 * Maps stack traces of compiled code to the sources. A source map is only read when it is needed.
 */
import fs from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

const position = /(file:[^\s()]+?\.js):(\d+):(\d+)/g

/** Replaces the positions of compiled files that have a map by source positions. */
export function withSourcePositions(text: string): string {
  return text.replaceAll(position, (whole, url: string, line: string, column: string) => {
    const map = mapOf(url)
    const entry = map?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !('originalSource' in entry)) return whole
    return `${new URL(entry.originalSource, url).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

function mapOf(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(fs.readFileSync(`${fileURLToPath(url)}.map`, 'utf8')))
  } catch {
    return null
  }
}
