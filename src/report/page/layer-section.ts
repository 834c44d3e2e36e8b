/**
 * A layer's section of a page without findings: its measurement, its violations, and the evidence.
 */
import type { PairResult } from '../../contract/results/results.ts'
import type { Break } from '../break.ts'
import { pairAnchor } from './anchor.ts'
import { counterexample } from './counterexample.ts'
import { evidence } from './evidence.ts'
import { type Html, html } from './html.ts'

interface LayerSection {
  readonly implementation: string
  readonly measure: Html
  readonly broken: readonly Break[]
  /** Completes the heading "What … <implementation> rest on": for example `the verdicts on`. */
  readonly evidenceOf: string
  readonly pairs: readonly PairResult[]
  readonly seed: number
}

export function layerSection({ implementation, measure, broken, evidenceOf, pairs, seed }: LayerSection): Html {
  const anchors = new Set(pairs.map(pairAnchor))
  const idOf = (part: string): string => `${part}-${implementation.replaceAll(/[^\w-]+/g, '-')}`
  return html`<section aria-labelledby="${idOf('layer')}"><h2 id="${idOf('layer')}">${implementation}</h2>
${measure}</section>
${
  broken.length === 0
    ? null
    : html`<section aria-labelledby="${idOf('broke')}"><h2 id="${idOf('broke')}">What broke ${implementation}, and how</h2>
${broken.map((one) => html`${counterexample(one, { open: false, pairs: anchors })}\n`)}</section>`
}
<section aria-labelledby="${idOf('rests')}"><h2 id="${idOf('rests')}">What ${evidenceOf} ${implementation} rest on</h2>
${pairs.map((pair) => html`${evidence(pair, { findings: [], seed })}\n`)}</section>`
}
