/**
 * Finds names for scripts whose label contains only the beginning of a SHA-1, which a reader cannot
 * look up. The name is the script's first comment, or the user's line that sent the script.
 */
import path from 'node:path'
import type { ScriptNames } from '../../contract/results/script-names.ts'
import { visible } from '../../contract/results/visible.ts'
import { scriptSha } from '../model/script-sha.ts'
import type { RunResult } from '../types.ts'

const unnamed = /^EVALSHA [0-9a-f]{8}$/

export function scriptNames({ history, executed }: Pick<RunResult, 'history' | 'executed'>): ScriptNames {
  const bodies = new Map(
    executed.flatMap(({ args }) => (/^eval$/i.test(args[0]!) ? [[labelOf(args[1]!), args[1]!]] : [])),
  )
  const names = new Map<string, string>()
  for (const { label, seq } of executed) {
    if (!unnamed.test(label) || names.has(label)) continue
    const trace = history.events[seq - 1]
    const from = trace?.type === 'command' ? trace.sentFrom : undefined
    const comment = commentOf(bodies.get(label) ?? '')
    const place = from === undefined ? null : `at ${path.posix.basename(from.file)}:${from.line}`
    const called = comment ?? place
    if (called === null) continue
    const alike = [...names.values()].filter((name) => name.startsWith(`the script ${called}`)).length
    names.set(label, `the script ${called}${alike === 0 ? '' : ` (${alike + 1})`}`)
  }
  return Object.fromEntries(names)
}

const longest = 40

const labelOf = (body: string): string => `EVALSHA ${scriptSha(body).slice(0, 8)}`

/** The first line of the script's leading comment. */
function commentOf(body: string): string | null {
  const [, text] = /^\s*--(?:\[\[|-*)\s*([^\n]*[^\s])/.exec(body) ?? []
  const comment = text?.replace(/\]\]$/, '').trim() ?? ''
  if (comment === '') return null
  return `"${visible(comment.length > longest ? `${comment.slice(0, longest - 1)}…` : comment)}"`
}
