/** Whether a real Redis answers the campaign's own commands as the model did, which every verdict rests on. */
import type { GateDisagreement, GateResult } from '../../contract/results.ts'
import { gateRest, gateSentence, shown } from '../gate.ts'
import { type Html, html } from './html.ts'

export function gate(result: GateResult | undefined): Html {
  const sentence = gateSentence(result)
  const rest = gateRest(result)
  return html`<p class="lede">The simulated Redis, which every verdict rests on: ${sentence}.${rest === '' ? null : ` (${rest}.)`}</p>
${result?.verdict === 'disagrees' ? disagreement(result.disagreement) : null}`
}

function disagreement({ command, real, model, implementation, scenario, run, replay }: GateDisagreement): Html {
  return html`<p class="reason">${implementation} under ${scenario}, run ${run}: <code>${command}</code> is answered <code>${shown(real)}</code> by Redis, <code>${shown(model)}</code> by the model. Replay: <code>${replay}</code></p>`
}
