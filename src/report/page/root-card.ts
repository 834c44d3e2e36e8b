/**
 * One root cause as a card: the change, the source line and the story, and the same content as
 * Markdown.
 */
import { positionText } from '../../contract/api/source-position.ts'
import { launcher } from '../../contract/results/launcher.ts'
import type { RootCause } from '../../contract/results/results.ts'
import { shippedPage, storyWithPage } from '../../contract/results/shipped-page.ts'
import { aboutText } from '../../contract/results/time-text.ts'
import { acceptableText } from '../accepted-lines.ts'
import type { Break } from '../break.ts'
import { counted } from '../figures.ts'
import { breakAnchor } from './anchor.ts'
import type { PageContext } from './context.ts'
import { type Html, html } from './html.ts'

/** The number of lines to show before and after the source line. */
const around = 3

interface Excerpt {
  readonly from: number
  readonly at: number
  readonly lines: readonly string[]
}

function excerptOf(one: Break, context: PageContext): Excerpt | null {
  const lines = one.sourceLine === undefined ? null : context.sourceOf(one)
  const at = one.sourceLine?.line ?? 0
  if (lines === null || at < 1 || at > lines.length) return null
  const from = Math.max(1, at - around)
  return { from, at, lines: lines.slice(from - 1, at + around) }
}

const numbered = ({ from, at, lines }: Excerpt): readonly (readonly [line: string, isIt: boolean])[] => {
  const width = String(from + lines.length - 1).length
  return lines.map((line, index) => {
    const number = from + index
    return [`${number === at ? '>' : ' '} ${String(number).padStart(width)}  ${line}`, number === at] as const
  })
}

function source(excerpt: Excerpt | null): Html | null {
  if (excerpt === null) return null
  const lines = numbered(excerpt).map(([line, isIt]) => (isIt ? html`<b>${line}</b>\n` : html`${line}\n`))
  return html`<pre class="source" tabindex="0" aria-label="The line that decided">${lines}</pre>`
}

const seenText = ({ root }: Break): string => {
  const { triggers, runs, scenarios, known, findings } = root!
  const faults = triggers.length === 0 ? 'no fault needed' : triggers.join(', ')
  const seen = `${counted(runs, 'run')} of ${counted(scenarios, 'scenario')}, ${faults}`
  return `${seen}${known ? ', in the baseline' : ''}; ${counted(findings.length, 'finding')}`
}

/** `ofLayer`: options after the id in the command. */
const liveText = ({ id, live }: RootCause, ofLayer: string): string =>
  live === undefined || 'cannot' in live
    ? `Not replayable on real servers: ${live?.cannot}`
    : `On real servers: ${launcher()} replay-live ${id}${ofLayer} (${aboutText(live.ms)})`

const provenance = ({ implementation, sink }: Break, { madeAt, commit, digests }: PageContext): string => {
  const digest = digests.get(implementation)
  const parts = [
    `${implementation}${digest === undefined ? '' : ` ${digest}`}, ${sink} sink`,
    ...(commit === null ? [] : [`commit ${commit}`]),
    ...(madeAt === '' ? [] : [`${madeAt} UTC`]),
  ]
  return parts.join('; ')
}

/**
 * Markdown for an issue: what happens, where, what to change, the story, and the replay command.
 */
function rootMarkdown(one: Break, excerpt: Excerpt | null, context: PageContext): string {
  const { root, why, sourceLine, replay } = one
  const lines = excerpt === null ? [] : numbered(excerpt).map(([line]) => line)
  const place = sourceLine === undefined ? '' : `\`${positionText(sourceLine)}\`: `
  const fenced = (text: string) => `\`\`\`\`\n${text}\n\`\`\`\``
  return [
    `### ${root!.title}`,
    `${place}${why ?? one.sentence} (${seenText(one)}).`,
    ...(root!.fix === null ? [] : [`**Change:** ${root!.fix}`]),
    ...(lines.length === 0 ? [] : [fenced(lines.join('\n'))]),
    fenced(storyWithPage(one).join('\n')),
    fenced(replay),
    `${provenance(one, context)}.`,
  ].join('\n\n')
}

export interface RootCardOptions {
  /** The other findings of the root cause. */
  readonly variants: readonly Break[]
  /** True if the page has root causes of several layers. */
  readonly severalLayers: boolean
  readonly context: PageContext
}

/** `story`: the story of its example, shown below the change. */
export function rootCard(one: Break, story: Html, { variants, severalLayers, context }: RootCardOptions): Html {
  const { root, why, sourceLine } = one
  if (root === undefined) return html``
  const excerpt = excerptOf(one, context)
  const place = sourceLine === undefined ? null : html`<code>${positionText(sourceLine)}</code>: `
  const accept = acceptableText(one)
  const ofLayer = `${severalLayers ? ` --impl ${root.implementation}` : ''}${context.ofReports}`
  const remedy = root.instead === undefined ? null : context.remedyOf(root.instead)
  const links = variants.map(
    (variant, at) => html`${at > 0 ? ', ' : ''}<a href="#${breakAnchor(variant)}">${variant.id}</a>`,
  )
  return html`<li value="${root.id}" class="root"><h3>${root.title}</h3>
<span class="note">${seenText(one)}</span>
<p>${place}${why}</p>
${source(excerpt)}
${root.fix === null ? null : html`<p><b>Change:</b> ${root.fix}${root.instead === undefined ? null : html` <span class="note">${remedy === null ? null : html`${remedy} `}See ${shippedPage(root.instead)}.</span>`}</p>`}
${accept === null ? null : html`<p class="small">${accept}.</p>`}
${story}
${root.live === undefined ? null : html`<p class="small">${liveText(root, ofLayer)}.</p>`}
${links.length === 0 ? null : html`<p class="small">Variants: ${links}.</p>`}
<p class="small about">${provenance(one, context)}. <span class="token"><code class="markdown">${rootMarkdown(one, excerpt, context)}</code><button type="button" class="copy" hidden>Copy as Markdown</button></span> <button type="button" class="save" hidden>Save as a file</button></p></li>
`
}
