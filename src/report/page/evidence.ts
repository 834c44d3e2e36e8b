/**
 * The evidence for one pair's verdict: the number of runs, the faults that struck, and the goals
 * that were reached.
 */

import { launcher } from '../../contract/results/launcher.ts'
import type { AcceptedRiskResult, PairResult, Results, ViolationResult } from '../../contract/results/results.ts'
import { boundOf } from '../bound.ts'
import { breakOf } from '../break.ts'
import { counted, faultsStruck, goalFigures, grouped } from '../figures.ts'
import { runRanges } from '../run-ranges.ts'
import { pairAnchor } from './anchor.ts'
import { replayBlock } from './counterexample.ts'
import { type Html, html } from './html.ts'
import { badge, breakLink } from './matrix.ts'

const figure = (label: string, value: string): Html => html`<div><dt>${label}</dt><dd>${value}</dd></div>`

function figures(pair: PairResult): Html {
  const { covered, total } = pair.cells
  const runs =
    pair.runs === pair.runsRequested ? grouped(pair.runs) : `${grouped(pair.runs)} of ${grouped(pair.runsRequested)}`
  return html`<dl class="figures">
${[
  figure('Runs', runs),
  figure('Distinct schedules', grouped(pair.distinctSchedules)),
  figure('Messages', grouped(pair.messages)),
  figure('Effects', grouped(pair.effects)),
  figure('Done', grouped(pair.done)),
  ...(pair.accepted === undefined ? [] : [figure('Accepted', grouped(pair.accepted))]),
  figure('Refused', grouped(pair.refused)),
  figure('Dead-lettered', grouped(pair.deadLettered)),
  figure('Crash points', `${grouped(covered)} of ${grouped(total)}`),
]}
</dl>`
}

/** The counts as bars, scaled to the largest. */
function bars(counts: readonly (readonly [string, number])[]): Html {
  const most = Math.max(...counts.map(([, n]) => n), 1)
  return html`<ul class="bars">${counts.map(
    ([name, n]) =>
      html`<li><span class="name">${name}</span><span class="count">${grouped(n)}</span><span class="bar" aria-hidden="true"><span style="width:${((100 * n) / most).toFixed(1)}%"></span></span></li>`,
  )}</ul>`
}

function goals({ goals: all, goalReasons = {}, runs }: PairResult): Html {
  const line = (name: string, reached: number | 'n/a') => {
    const words = name.replaceAll('-', ' ')
    if (reached === 'n/a')
      return html`<li class="na"><span>${words}</span> <b>n/a</b> <span class="note">${goalReasons[name] ?? ''}</span></li>`
    const tone = reached === 0 ? 'missed' : 'hit'
    const how = reached === 0 ? 'never reached' : `in ${grouped(reached)} of ${counted(runs, 'run')}`
    return html`<li class="${tone}"><span>${words}</span> <b>${how}</b></li>`
  }
  const entries = Object.entries(all)
  return entries.length === 0
    ? html`<p class="note">None asked for.</p>`
    : html`<ul class="goals">${entries.map(([name, reached]) => line(name, reached))}</ul>`
}

function invariants({ invariants: judged, runs }: PairResult): Html {
  const rows = Object.entries(judged).map(([name, { verdict, runsViolated, reason = '' }]) => {
    const tone = verdict === 'valid' ? 'pass' : verdict === 'n/a' ? 'na' : verdict
    const note = runsViolated > 0 ? `in ${grouped(runsViolated)} of ${counted(runs, 'run')}` : reason
    return html`<tr><th scope="row">${name}</th><td><span class="word ${tone}">${verdict}</span> <span class="note">${note}</span></td></tr>`
  })
  return html`<table class="invariants"><thead><tr><th scope="col">Invariant</th><th scope="col">Verdict</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** The runs that accepted risks explain. They are not violations, but every result shows them. */
function accepted({ acceptedRisks, runs: all }: PairResult): Html | null {
  if (acceptedRisks === undefined) return null
  const line = ({ what, because, runs, ways }: AcceptedRiskResult) =>
    html`<li><b>${what}</b>: ${runs.length === 0 ? 'explains no run' : `explains ${grouped(runs.length)} of ${counted(all, 'run')}`}; because: ${because}${ways.map(({ invariant, kind, sentence, replay }) => html`<p class="note">${invariant}: ${kind}. ${sentence}</p>${replayBlock(replay)}`)}</li>`
  return html`<section><h4>Accepted</h4><ul>${acceptedRisks.map(line)}</ul></section>`
}

const texts = (items: readonly string[]): Html => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`

/** The bound of a pass as a number; for a violated pair, the violations with their runs. */
function outcome(pair: PairResult, { findings, seed }: Pick<Results, 'findings' | 'seed'>): Html | null {
  if (pair.verdict === 'pass') return html`<p class="reason">${boundOf(pair.runs)}.</p>`
  const listed = pair.violations.filter(({ runs = [] }) => runs.length > 0)
  if (listed.length === 0) return null
  const { implementation, scenario, sink } = pair
  const line = (violation: ViolationResult) => {
    const { invariant, runs = [] } = violation
    const often = `${invariant}, in ${grouped(runs.length)} of ${counted(pair.runs, 'run')}`
    return html`<li>${breakLink(breakOf(findings, pair, violation))}: ${often}:<div class="runs">${runRanges(runs)}</div></li>`
  }
  return html`<section><h4>What broke, and the numbers of all such runs</h4>
<ul class="broke">${listed.map(line)}</ul>
<p class="replay-label">Replay any of them, as it was drawn, by its number (a layer of your own by its path):</p>
${replayBlock(`${launcher()} replay --seed ${seed} --run ${listed[0]!.run} --impl ${implementation} --scenario ${scenario} --sink ${sink}`)}</section>`
}

/** The evidence for the verdict of a pair. `from`: the findings and the seed. */
export function evidence(pair: PairResult, from: Pick<Results, 'findings' | 'seed'>): Html {
  const faults = Object.entries(pair.faults).sort(([, a], [, b]) => b - a)
  const { reached, of } = goalFigures(pair)
  const line = `${counted(pair.runs, 'run')}, ${counted(faultsStruck(pair), 'fault')} struck, goals ${reached}/${of}`
  return html`<details class="evidence" id="${pairAnchor(pair)}">
<summary>${badge(pair)} <h3>${pair.implementation} under ${pair.scenario}</h3> <span class="note">${line}</span></summary>
${pair.reason === null ? null : html`<p class="reason">${pair.reason}</p>`}
${outcome(pair, from)}
${figures(pair)}
<div class="columns">
<section><h4>Invariants</h4>${invariants(pair)}</section>
<section><h4>Goals: states that a pass must have seen</h4>${goals(pair)}</section>
<section><h4>Faults that struck</h4>${faults.length === 0 ? html`<p class="note">None.</p>` : bars(faults)}</section>
${accepted(pair)}<section><h4>Assumptions</h4>${texts(pair.assumptions)}${
    pair.unsupportedCommands.length === 0
      ? null
      : html`<h4>Not simulated, so not a pass</h4>${texts(pair.unsupportedCommands)}`
  }</section>
</div>
<p class="small">${pair.sink} sink, Redis shape ${pair.shape}, digest <code>${pair.digest}</code></p>
</details>`
}
