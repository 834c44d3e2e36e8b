/** One violation as a person reads it: what broke, the story as a timeline, the command that replays it. */
import type { PairResult, ViolationResult } from '../../contract/results.ts'
import { brokenWords } from '../broken-words.ts'
import { counted, gravestOf, grouped } from '../figures.ts'
import { pairAnchor } from './anchor.ts'
import { type Html, html } from './html.ts'
import { invariantWords } from './words.ts'

/** Where the page tells how a pair broke. */
export const storyAnchor = (pair: PairResult): string => `broke-${pairAnchor(pair)}`

/** What a line of the story is about, for its mark on the timeline. */
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

/** The lines that carry a time (and gaps between them) are the timeline; the rest is what came of it. */
function story(lines: readonly string[]): Html {
  const last = lines.findLastIndex((line) => timed.test(line))
  const timeline = lines.slice(0, last + 1)
  const ending = lines.slice(last + 1)
  return html`${timeline.length > 0 ? html`<ol class="timeline">\n${timeline.map((line) => html`${storyLine(line)}\n`)}</ol>` : null}
<div class="ending">${ending.map((line) => html`<p>${line}</p>`)}</div>`
}

export const replayBlock = (command: string): Html =>
  html`<div class="replay"><pre tabindex="0" aria-label="Command that replays this run"><code>${command}</code></pre><button type="button" class="copy" hidden>Copy</button></div>`

/** `linked`: cells of the matrix lead here. The control's story is none of them. */
export function counterexample(pair: PairResult, violation: ViolationResult, open: boolean, linked: boolean): Html {
  const { invariant, kind, seed, run, faultCount, eventCount, replay } = violation
  const { runsViolated } = pair.invariants[invariant] ?? { runsViolated: 0 }
  const often = runsViolated > 0 ? `Broke in ${grouped(runsViolated)} of ${counted(pair.runs, 'run')}.` : ''
  const anchor = linked && violation === gravestOf(pair) ? html` id="${storyAnchor(pair)}"` : null
  return html`<details class="counterexample"${anchor}${open ? html` open` : null}>
<summary><h3>${pair.implementation} under ${pair.scenario}: ${brokenWords[invariant]}</h3>
<span class="kind">${invariant}: ${kind}</span></summary>
<p class="demand">${invariantWords[invariant]} ${often}</p>
${story(violation.story)}
<p class="replay-label">Replay this run, event by event:</p>
${replayBlock(replay)}
<p class="small">Seed ${seed}, run ${run}, ${pair.sink} sink. Shrunk to ${counted(faultCount, 'fault')} and ${counted(eventCount, 'event')}.</p>
</details>`
}
