/**
 * The results of the crosschecks, on which every verdict relies: whether real servers answered the
 * campaign's own commands like the models.
 */
import type { Timings } from '../../contract/results/results.ts'
import { type CrosscheckReport, crosscheckReports, shown } from '../crosscheck.ts'
import { type Html, html } from './html.ts'

export function crosschecks(timings: Pick<Timings, 'crosscheck' | 'postgresCrosscheck'>): Html[] {
  return crosscheckReports(timings).map(crosscheck)
}

function crosscheck(report: CrosscheckReport): Html {
  const { server, sentence, rest } = report
  return html`<p class="lede">The simulated ${server}, which every verdict rests on: ${sentence}.${rest === '' ? null : ` (${rest}.)`}</p>
${disagreement(report)}`
}

function disagreement({ server, disagreement }: CrosscheckReport): Html | null {
  if (disagreement === null) return null
  const { command, real, model, implementation, scenario, run, replay } = disagreement
  return html`<p class="reason">${implementation} under ${scenario}, run ${run}: <code>${command}</code> is answered <code>${shown(real)}</code> by ${server}, <code>${shown(model)}</code> by the model. Replay: <code>${replay}</code></p>`
}
