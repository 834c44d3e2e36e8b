/** Whether a real Redis answers the campaign's own commands as the model did, which every verdict rests on. */
import type { CrosscheckDisagreement, CrosscheckResult } from '../../contract/results.ts'
import { crosscheckRest, crosscheckSentence, shown } from '../crosscheck.ts'
import { type Html, html } from './html.ts'

export function crosscheck(result: CrosscheckResult | undefined): Html {
  const sentence = crosscheckSentence(result)
  const rest = crosscheckRest(result)
  return html`<p class="lede">The simulated Redis, which every verdict rests on: ${sentence}.${rest === '' ? null : ` (${rest}.)`}</p>
${result?.verdict === 'disagrees' ? disagreement(result.disagreement) : null}`
}

function disagreement({ command, real, model, implementation, scenario, run, replay }: CrosscheckDisagreement): Html {
  return html`<p class="reason">${implementation} under ${scenario}, run ${run}: <code>${command}</code> is answered <code>${shown(real)}</code> by Redis, <code>${shown(model)}</code> by the model. Replay: <code>${replay}</code></p>`
}
