/**
 * Describes in one sentence what a layer needs from its environment to hold, according to its
 * pairs.
 */

import { invariantDoc } from '../check/docs.ts'
import { severity } from '../contract/api/severity.ts'
import type { SinkKind } from '../contract/api/sink.ts'
import type { InvariantName } from '../contract/api/verdict.ts'
import type { PairResult } from '../contract/results/results.ts'
import { counted } from './figures.ts'

/**
 * The sentence about one layer. `pairs`: all pairs of the layer. A pair stops when at-most-once is
 * violated, so it proves nothing about the other invariants.
 */
export function requirementsOf(pairs: readonly PairResult[]): string {
  const onPlain = pairs.filter(({ sink }) => sink === 'plain')
  if (pairs.some(({ verdict }) => verdict === 'error')) return 'no verdict: the harness failed'
  const broken = brokenOn(pairs, 'plain')
  if (broken.length === 0) return held(pairs)
  if (broken[0] !== 'at-most-once') return `the effect happens once, but ${inWords(broken)}`
  const other = (['keyed', 'fenced'] as const).find((sink) => pairs.some((pair) => pair.sink === sink))
  if (other === undefined) return `on a plain sink ${invariantDoc('at-most-once').broken}`
  const sink = other === 'keyed' ? 'a sink that deduplicates by key' : 'a sink that checks fences'
  const left = brokenOn(pairs, other)
  if (left[0] === 'at-most-once') return `${invariantDoc('at-most-once').broken}, on ${sink} too`
  const rest = left.filter((name) => name !== 'payload-bound')
  const needs = `needs ${sink}${rest.length < left.length ? ' and keys with one payload each' : ''}`
  if (rest.length > 0) return `${needs}; even then ${inWords(rest)}`
  return `${needs}: then nothing broke in ${counted(onPlain.length, 'scenario')}`
}

function held(pairs: readonly PairResult[]): string {
  const unknown = pairs.filter(({ verdict }) => verdict === 'unknown').length
  const cells = counted(pairs.length, 'cell')
  if (unknown > 0) return `nothing broke; no verdict in ${unknown} of ${cells}`
  const elsewhere = pairs.filter(({ verdict }) => verdict === 'violated')
  if (elsewhere.length > 0)
    return `holds on a plain sink; on a ${elsewhere[0]!.sink} one ${inWords(invariantsOf(elsewhere))}`
  return `holds in all ${cells}`
}

/** The broken invariants, the worst first. */
function brokenOn(pairs: readonly PairResult[], kind: SinkKind): InvariantName[] {
  return invariantsOf(pairs.filter(({ sink }) => sink === kind))
}

function invariantsOf(pairs: readonly PairResult[]): InvariantName[] {
  const names = new Set(pairs.flatMap(({ violations }) => violations.map(({ invariant }) => invariant)))
  return [...names].sort((a, b) => severity(a) - severity(b))
}

function inWords(invariants: readonly InvariantName[]): string {
  const words = invariants.map((name) => invariantDoc(name).broken)
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
