/**
 * The browser code of the page, except for copying: pictures, links to their moments, and the
 * search for a finding.
 */
import { element } from './elements.ts'
import { inflated, unpacked } from './packed.ts'
import { PictureView } from './picture-view.ts'

const views = new Map<HTMLElement, PictureView>()

const dataIn = (host: HTMLElement): string => host.querySelector('script')?.textContent ?? ''

/**
 * The first picture of the page. Its data are stored here, because drawing the picture removes its
 * element.
 */
let first: { readonly host: HTMLElement; readonly data: string } | null = null

/** Returns the view of a picture, which is drawn at the first call. */
function viewOf(host: HTMLElement): PictureView | null {
  const known = views.get(host)
  if (known !== undefined) return known
  const picture = unpacked(dataIn(host), first === null || host === first.host ? null : inflated(first.data))
  const finding = host.closest('details')
  const view = new PictureView(host, picture, (seq) => {
    if (finding !== null) history.replaceState(null, '', `#${finding.id}@${seq}`)
  })
  views.set(host, view)
  finding?.classList.add('pictured')
  return view
}

const hostIn = (finding: Element): HTMLElement | null => finding.querySelector<HTMLElement>('.picture')

const watched = new Set<HTMLElement>()

/** Watches findings that were added since the last call. */
function watchFindings(): void {
  for (const finding of document.querySelectorAll<HTMLDetailsElement>('details.counterexample')) {
    const host = hostIn(finding)
    if (host === null || watched.has(host)) continue
    watched.add(host)
    first ??= { host, data: dataIn(host) }
    if (finding.open) viewOf(host)
    finding.addEventListener('toggle', () => {
      if (finding.open) viewOf(host)
    })
  }
}

/**
 * Opens the linked finding: `#finding-…@12` selects its event 12. Some programs encode `@` as `%40`
 * in links.
 */
function followLink(): void {
  const [, id = '', seq] = /^#(.*)(?:@|%40)(\d+)$/.exec(location.hash) ?? []
  const finding = document.getElementById(id)
  const host = finding instanceof HTMLDetailsElement ? hostIn(finding) : null
  if (host === null) return
  const isNew = !views.has(host)
  ;(finding as HTMLDetailsElement).open = true
  const view = viewOf(host)
  view?.choose(Number(seq))
  if (isNew || finding !== document.activeElement?.closest('details')) finding?.scrollIntoView()
}
addEventListener('hashchange', followLink)

let widthBefore = innerWidth
addEventListener('resize', () => {
  if (innerWidth === widthBefore) return
  widthBefore = innerWidth
  for (const view of views.values()) view.again()
})

addEventListener('beforeprint', () => {
  for (const finding of document.querySelectorAll('details.counterexample')) {
    const host = hostIn(finding)
    if (host !== null) viewOf(host)?.forPrint()
  }
})
addEventListener('afterprint', () => {
  for (const view of views.values()) view.again()
})

/**
 * Adds a search field that filters the findings by their text. A finding must contain every word of
 * the query.
 */
function searchFindings(table: Element): void {
  const field = element('input', { type: 'search', placeholder: 'Search findings', 'aria-label': 'Search findings' })
  const count = element('span', { class: 'found', role: 'status' })
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tbody tr')]
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const row of rows) {
      const id = row.querySelector('a')?.getAttribute('href')?.slice(1) ?? ''
      const story = document.getElementById(id)
      const text = `${row.textContent} ${story?.textContent}`.toLowerCase()
      const fits = words.every((word) => text.includes(word))
      row.hidden = !fits
      if (story !== null) story.hidden = !fits
      if (fits) shown++
    }
    count.textContent = words.length === 0 ? '' : `${shown} of ${rows.length}`
  })
  field.addEventListener('keydown', (event) => {
    const hit = event.key === 'Enter' ? rows.find((row) => !row.hidden)?.querySelector('a') : null
    hit?.click()
  })
  table.parentElement?.before(element('div', { class: 'tools' }, field, count))
}

let searched: Element | null = null

/** Called for the initial page, and again after packed parts were unpacked. */
function begin(): void {
  watchFindings()
  followLink()
  const index = document.querySelector('table.findings')
  if (index === null || index === searched) return
  searched = index
  searchFindings(index)
}
addEventListener('unpacked', begin)
begin()
