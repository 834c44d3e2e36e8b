/** A violation on a page: the cause, the story as a timeline, and the command that replays it. */

import { invariantDoc } from '../../check/docs.ts'
import { withScriptNames } from '../../contract/results/script-names.ts'
import { storyWithPage } from '../../contract/results/shipped-page.ts'
import { acceptableText } from '../accepted-lines.ts'
import { type Break, isAsPlayed, isSeenWhereReported } from '../break.ts'
import { capital, counted, originText, sizeText } from '../figures.ts'
import { breakAnchor, pairAnchor } from './anchor.ts'
import { type Html, html } from './html.ts'
import type { Pictures } from './picture.ts'

/** The kind of a story line, which decides its mark on the timeline. */
function toneOf(text: string): 'fault' | 'healed' | 'effect' | 'step' {
  if (text.startsWith('fault: ')) return 'fault'
  if (text.startsWith('healed: ')) return 'healed'
  return text.startsWith('the sink applies ') ? 'effect' : 'step'
}

const timed = /^ *([\d.]+) ms {2}(.*)$/

function storyLine(line: string): Html {
  const [, time, text = ''] = timed.exec(line) ?? []
  if (time === undefined) return html`<li class="gap"><span class="what">${line.trim()}</span></li>`
  const tone = toneOf(text)
  return html`<li class="${tone}"><span class="time">${time} ms</span> <span class="what">${text}</span></li>`
}

/**
 * Lines with a time, and the gaps between them, form the timeline. The lines after them are the
 * outcome.
 */
function story(lines: readonly string[]): Html {
  const last = lines.findLastIndex((line) => timed.test(line))
  const timeline = lines.slice(0, last + 1)
  const ending = lines.slice(last + 1)
  return html`${timeline.length > 0 ? html`<ol class="timeline">\n${timeline.map((line) => html`${storyLine(line)}\n`)}</ol>` : null}
<div class="ending">${ending.map((line) => html`<p>${line}</p>`)}</div>`
}

export const replayBlock = (command: string): Html =>
  html`<div class="replay"><pre tabindex="0" aria-label="Command that replays this run"><code>${command}</code></pre><button type="button" class="copy" hidden>Copy</button></div>`

/**
 * The commands on the path, the deciding step, and the faults without which the layer does not
 * break by that step.
 */
export function causeWords({ cause: { path, decidedBy, needs }, scripts }: Break): Html {
  const named = (text: string) => html`<code>${withScriptNames(text, scripts)}</code>`
  const commands = path.map((command, at) => html`${at > 0 ? ', ' : ''}${named(command)}`)
  const step = decidedBy === null ? '' : ' by this step'
  return html`${path.length > 0 ? html`<span>Path: ${commands}. </span>` : null}${decidedBy === null ? null : html`<span>Decided by ${named(decidedBy)}. </span>`}<span>${needs.length > 0 ? `Without ${needs.join(', ')}, it does not break${step}.` : `Breaks${step} without any fault.`}</span>`
}

function seen(one: Break, links: ReadonlySet<string>): Html {
  const { seenIn, sink, implementation, runs, scenario: reported } = one
  const places = seenIn.map(({ scenario, runs: numbers }, at) => {
    const anchor = pairAnchor({ implementation, scenario, sink })
    const name = links.has(anchor) ? html`<a href="#${anchor}">${scenario}</a>` : html`${scenario}`
    return html`${at > 0 ? ', ' : ''}${name}${numbers.length > 0 ? ` (${counted(numbers.length, 'run')})` : ''}`
  })
  const elsewhere = ` The run below is from ${reported}, which is cheaper to play, and is not counted here.`
  return html`<p class="small">Seen in ${counted(runs, 'run')}: ${places}.${isSeenWhereReported(one) ? '' : elsewhere}</p>`
}

export interface CounterexampleOptions {
  readonly open: boolean
  /** Anchors of the pairs for which the page has evidence. */
  readonly pairs: ReadonlySet<string>
  /** False if no link leads to this violation, as for the control. */
  readonly linked?: boolean
  /** Returns the picture of the run, if there is one. */
  readonly pictures?: Pictures
}

export function counterexample(one: Break, { open, pairs, linked = true, pictures }: CounterexampleOptions): Html {
  const { id, cause, implementation, scenario, sink, seenIn, replay } = one
  const { shrunk, asked, why, drawnIn, madeFrom } = one
  const size = sizeText(one)
  const where = isSeenWhereReported(one) ? scenario : seenIn[0]!.scenario
  const origin = capital(originText(one))
  const drawnFrom = one.explored
    ? origin
    : `${origin} of ${drawnIn ?? scenario}${drawnIn === undefined ? '' : `, shown in ${scenario}`}`
  const acceptable = acceptableText(one)
  const anchor = linked ? html` id="${breakAnchor(one)}"` : null
  const drawn = isAsPlayed(one) || one.explored ? `With ${size}.` : `With ${size}; no smaller run was found.`
  return html`<details class="counterexample"${anchor}${open ? html` open` : null}>
<summary><h3>${id === null ? null : html`<span class="id">${id}</span> `}${implementation} under ${where}: ${invariantDoc(cause.invariant).broken}</h3>
<span class="kind">${cause.invariant}: ${cause.kind}${one.known === true ? ', in the baseline' : null}</span></summary>
${why === null ? null : html`<p class="why">${why}</p>`}
<p class="demand">${invariantDoc(cause.invariant).demand}</p>
${id === null ? null : html`<p class="small">${causeWords(one)}</p>`}
${seen(one, pairs)}
${pictures?.(one) ?? null}
${story(storyWithPage(one))}
${acceptable === null ? null : html`<p class="small">${acceptable}.</p>`}
<p class="replay-label">Replay this run, event by event:</p>
${replayBlock(replay)}
<p class="small">${madeFrom === undefined ? drawnFrom : capital(madeFrom)}, ${sink} sink. ${shrunk && !one.explored ? `Shrunk to ${size}.` : drawn}${asked ? ` ${capital(asked)}.` : null}</p>
</details>`
}
