import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Picture } from '../../../src/contract/results/timeline.ts'
import { page as pageOf } from '../../../src/report/page/page.ts'
import { reportStory } from '../../../src/report/story.ts'
import { drawPassing, drawViolation } from '../../../src/report/timeline/timeline-of.ts'
import { needs, pathOf } from '../../needs/needs.ts'
import { results } from '../made-up-results.ts'
import { lockedRun, ms, runTraceOf, violationIn } from '../timeline/made-up-run.ts'
import { brokenTimeline, longTimeline, manyLayers, pictured, pictureOf } from './made-up-pictures.ts'

const first = 'finding-000-lua-acquire-plain-F1'
const second = 'finding-000-lua-acquire-plain-F2'
const timeline = brokenTimeline()
const seqOf = (text: string) => timeline.events.find((event) => event.text.includes(text))!.seq

needs({ chromium: true }).describe('the page in a browser', () => {
  let browser: Browser
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'onceproof-page-'))
  const files = new Map<string, string>()

  /** A page of two findings. The first one is open. */
  const urlOf = (name: string, picture?: Picture): string => {
    const known = files.get(name)
    if (known !== undefined) return known
    const file = path.join(folder, `${name}.html`)
    const { results, pictures } = pictured(picture)
    fs.writeFileSync(file, pageOf(results, pictures))
    files.set(name, pathToFileURL(file).href)
    return files.get(name)!
  }

  const open = async (
    { name = 'usual', picture, hash = '' }: { name?: string; picture?: Picture; hash?: string } = {},
    { width = 1280, colorScheme = 'light' as 'light' | 'dark' } = {},
  ): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    await page.goto(urlOf(name, picture) + hash)
    return page
  }

  const events = (page: Page): Locator => page.locator(`#${first} > .picture > .run .rows`)
  const inView = (page: Page) =>
    page.locator(`#${first} > .picture > .run [role=option][aria-selected=true]`).getAttribute('data-seq').then(Number)
  const hold = (page: Page, id = first) => page.locator(`#${id} [data-node=redis]`).textContent()

  /**
   * CPU seconds of the page’s thread until `shown` is visible, independent of the load of the
   * machine.
   */
  const busyOpening = async (page: Page, url: string, shown: string): Promise<number> => {
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(url)
    await page.locator(shown).waitFor()
    const { metrics } = await session.send('Performance.getMetrics')
    const busy = metrics.find(({ name }) => name === 'TaskDuration')!.value
    expect(busy).toBeGreaterThan(0)
    return busy
  }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: pathOf('chromium'), args: ['--no-sandbox'] })
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    fs.rmSync(folder, { recursive: true })
  })

  for (const width of [390, 1280])
    for (const colorScheme of ['light', 'dark'] as const)
      it(`fits ${width} pixels in the ${colorScheme} theme without sideways scrolling or illegible text`, async () => {
        const page = await open({}, { width, colorScheme })
        for (const name of ['The story', 'All events']) {
          await page.locator(`#${first}`).getByRole('button', { name }).click()
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        }
        const light = async (what: string) => {
          const colour = await page.evaluate<string>(`getComputedStyle(document.body).${what}`)
          return colour
            .match(/\d+/g)!
            .slice(0, 3)
            .reduce((sum, one) => sum + Number(one), 0)
        }
        const [ground, text] = [await light('backgroundColor'), await light('color')]
        if (colorScheme === 'light') expect(ground - text).toBeGreaterThan(400)
        else expect(text - ground).toBeGreaterThan(400)
        const lanes = page.locator(`#${first} > .picture > .run svg.lanes`)
        expect(await lanes.locator('.glyph.repeat').count()).toBe(1)
        expect(await lanes.locator('.band.pause').count()).toBe(1)
      })

  it('fetches nothing and reports no error', async () => {
    const page = await browser.newPage()
    const asked: string[] = []
    const errors: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(urlOf('usual'))
    await page.locator(`#${second} summary h3`).click()
    await page.locator(`#${second} .rows`).waitFor()
    expect(asked).toEqual([urlOf('usual')])
    expect(errors).toEqual([])
  })

  it('steps through the events by keyboard, with the position in the address and for screen readers', async () => {
    const page = await open()
    await events(page).focus()
    const began = await inView(page)
    await page.keyboard.press('ArrowUp')
    const before = await inView(page)
    expect(before).toBeLessThan(began)
    expect(await events(page).getAttribute('aria-activedescendant')).toMatch(new RegExp(`-${before}$`))
    expect(page.url()).toContain(`#${first}@${before}`)
    await page.keyboard.press('Home')
    expect(await inView(page)).toBe(timeline.events.find(({ reported }) => reported)!.seq)
    await page.keyboard.press('ArrowUp')
    expect(await inView(page)).toBe(timeline.events.find(({ reported }) => reported)!.seq)
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowDown')
    expect(await inView(page)).toBe(timeline.events.findLast(({ reported }) => reported)!.seq)
  })

  it('shows the content of Redis and the beliefs of processes at the moment of the slider', async () => {
    const page = await open()
    const slider = page.locator(`#${first}`).getByRole('slider', { name: 'Time in the run' })
    const moveTo = (seq: number) => slider.fill(String(seq))
    await moveTo(seqOf('SET lock:k1 a'))
    expect(await hold(page)).toMatch(/lock:k1\s*a/)
    await moveTo(seqOf('m1 is handed to consumer-2'))
    expect(await hold(page)).toContain('holds nothing')
    await moveTo(seqOf('consumer-1 stops'))
    expect(await page.locator(`#${first} [data-process=consumer-1]`).textContent()).toContain(
      'believes that it holds lock:k1',
    )
    expect(await slider.getAttribute('aria-valuetext')).toContain('consumer-1 stops')
  })

  it('highlights the row of an event together with its arrows, on hover and on click', async () => {
    const page = await open()
    const seq = seqOf('SET lock:k1 b')
    const row = page.locator(`#${first} > .picture > .run .row[data-seq="${seq}"]`)
    await row.hover()
    const marked = page.locator(`#${first} > .picture > .run .message.hovered`)
    expect(await marked.count()).toBe(2)
    await page.mouse.move(0, 0)
    await expect.poll(() => marked.count()).toBe(0)
    await row.click()
    expect(await inView(page)).toBe(seq)
    expect(await page.locator(`#${first} .now-facts`).textContent()).toMatch(
      /Command\s*SET lock:k1 b NX PX 100\s*Reply\s*OK/,
    )
  })

  it('shows the path of a script when its event is opened: its lines and calls, with unexecuted parts folded', async () => {
    const [lines, seq] = [['-- claim', ...Array.from({ length: 6 }, (_, at) => `step(${at})`)], seqOf('SET lock:k1 a')]
    const script = { name: 'the script claim', lines, statements: [2, 3, 4, 5, 6, 7] }
    const call = { line: 2, command: 'GET <b>k1</b>', reply: 'nil' }
    const scripts = [{ script: 0, ran: [2], calls: [call], more: 3 }]
    const events = timeline.events.map((event) => (event.seq === seq ? { ...event, scripts } : event))
    const picture = pictureOf('F1', { ...timeline, events, scripts: [script] })
    const page = await open({ name: 'scripted', picture, hash: `#${first}@${seq}` })
    const branch = page.locator(`#${first} .branch`)
    expect(await branch.locator('h5').textContent()).toBe('What the script claim did')
    expect(await branch.locator('li.ran').allTextContents()).toEqual(['2step(0)'])
    expect(await branch.locator('li.call').allTextContents()).toEqual(['GET <b>k1</b> → nil'])
    expect(await branch.textContent()).toMatch(/1 of 6 lines .* and 3 more calls/)
    expect(await branch.locator('li.fold li').first().isVisible()).toBe(false)
    await branch.getByText('5 lines that did not run').click()
    expect(await branch.locator('li.fold li').allTextContents()).toEqual(
      lines.slice(2).map((text, at) => `${at + 3}${text}`),
    )
    await page.evaluate(`location.hash = '#${first}@${seqOf('SET lock:k1 b')}'`)
    await expect.poll(() => branch.count()).toBe(0)
  })

  it('has a lane for each Sentinel with messages, shown as events, with votes as arrows', async () => {
    const history = lockedRun()
    const said = (sentinel: string, what: 'down' | 'votes', about: string) => {
      return { atUs: ms(4), seq: 2, sentinel, what, about } as const
    }
    const words = [said('sentinel-1', 'down', 'redis'), said('sentinel-2', 'votes', 'sentinel-1')]
    const runTrace = runTraceOf(history, { sentinels: ['sentinel-1', 'sentinel-2'], words })
    const violation = violationIn(history)
    const drawn = drawViolation({ history, runTrace }, violation, reportStory(history, violation))
    const page = await open({ name: 'sentinels', picture: pictureOf('F1', drawn) })
    const run = page.locator(`#${first} > .picture > .run`)
    expect(await run.locator('.head.sentinel').allTextContents()).toEqual(['sentinel-1', 'sentinel-2'])
    expect(await run.locator('.message.copy').count()).toBe(0)
    await page.locator(`#${first}`).getByRole('searchbox', { name: 'Search events' }).fill('votes for sentinel-1')
    expect(await run.locator('.now-text').textContent()).toBe('sentinel-2 votes for sentinel-1')
    expect(await run.locator('.message.copy.selected').count()).toBe(1)
    const others = await open()
    expect(await others.locator('.head.sentinel').count()).toBe(0)
  })

  it('shows the passing run of a replay, with links to its moments', async () => {
    const history = lockedRun(false)
    const held = drawPassing({ history, runTrace: runTraceOf(history) }, 'k1')
    const file = path.join(folder, 'held.html')
    fs.writeFileSync(
      file,
      pageOf(results(), [{ implementation: 'reference', sink: 'plain', finding: null, timeline: held }]),
    )
    const page = await browser.newPage()
    await page.goto(`${pathToFileURL(file).href}#run@2`)
    const run = page.locator('#run > .picture > .run')
    expect(await run.locator('.when-text').textContent()).toBe(`3.0 ms, event 3 of ${held.events.length}`)
    expect(await run.locator('.glyph.effect').count()).toBe(1)
    expect(await run.locator('.glyph.repeat').count()).toBe(0)
  })

  it('finds any event of a run, and findings by their words', async () => {
    const page = await open()
    const field = page.locator(`#${first}`).getByRole('searchbox', { name: 'Search events' })
    await field.fill('the run is finished')
    expect(await inView(page)).toBe(timeline.events.at(-1)!.seq)
    await field.fill('no such thing')
    expect(await page.locator(`#${first} .found`).textContent()).toBe('none')
    const findings = page.getByRole('searchbox', { name: 'Search findings' })
    await findings.fill('zombie')
    expect(await page.locator('table.findings tbody tr:visible').count()).toBe(1)
    expect(await page.locator(`#${first}`).isVisible()).toBe(false)
    await findings.press('Enter')
    expect(await page.locator(`#${second}[open]`).count()).toBe(1)
    const { top } = await page.locator(`#${second}`).evaluate((element) => element.getBoundingClientRect())
    expect(top).toBeLessThan(900)
    await findings.fill('')
    expect(await page.locator('table.findings tbody tr:visible').count()).toBe(2)
  })

  it('saves one root cause as a file that has its picture and needs no script', async () => {
    const page = await open()
    const card = page.locator('.root').first()
    const saving = page.waitForEvent('download')
    await card.getByRole('button', { name: 'Save as a file' }).click()
    const download = await saving
    expect(download.suggestedFilename()).toMatch(/^[a-z0-9-]+\.html$/)
    const file = path.join(folder, 'saved.html')
    await download.saveAs(file)
    expect(fs.readFileSync(file, 'utf8')).not.toMatch(/<script|<button/)
    const saved = await browser.newPage({ javaScriptEnabled: false })
    await saved.goto(pathToFileURL(file).href)
    expect(await saved.locator('.root').count()).toBe(1)
    expect(await saved.locator('.glyph.repeat').first().isVisible()).toBe(true)
    expect(await saved.title()).toContain(await card.locator('h3').first().textContent())
    // The page itself still works.
    expect(await page.locator(`#${first} .glyph.repeat`).first().isVisible()).toBe(true)
  })

  it('opens a shared link at its finding and moment, and follows other links', async () => {
    const seq = seqOf('SET lock:k1 a')
    const page = await open({ hash: `#${second}@${seq}` })
    const when = page.locator(`#${second} .when-text`)
    expect(await when.textContent()).toBe(`3.0 ms, event ${seq + 1} of ${timeline.events.length}`)
    expect(await hold(page, second)).toMatch(/lock:k1\s*a/)
    await page.evaluate(`location.hash = '#${second}@0'`)
    await expect.poll(() => when.textContent()).toContain('event 1 of')
    // An unknown event opens the nearest one, and an unknown finding opens nothing.
    const beyond = await open({ hash: `#${second}@99999` })
    expect(await beyond.locator(`#${second} .when-text`).textContent()).toContain(`event ${timeline.events.length} of`)
    const unknown = await open({ hash: '#finding-of-nobody@3' })
    expect(await unknown.locator('details.counterexample[open]').count()).toBe(1)
  })

  it('opens a link with %40 instead of @, and survives an invalid one', async () => {
    const page = await open({ hash: '#%zz' })
    expect(await page.locator('details.counterexample[open]').count()).toBe(1)
    expect(await page.getByRole('searchbox', { name: 'Search findings' }).count()).toBe(1)
    await page.evaluate(`location.hash = '#${second}%40${seqOf('SET lock:k1 a')}'`)
    expect(await hold(page, second)).toMatch(/lock:k1\s*a/)
  })

  it('has the source line below each event as file name and number, however long the path is', async () => {
    const sentFrom = 'implementations/of-somebody/with-a-long-name/payments.ts:51'
    const events = timeline.events.map((event) => ({ ...event, text: 'long '.repeat(60), sentFrom }))
    const page = await open({ name: 'placed', picture: pictureOf('F1', { ...timeline, events }) }, { width: 390 })
    const line = page.locator(`#${first} > .picture > .run .row .line`).first()
    expect(await line.textContent()).toBe('payments.ts:51')
    expect(await line.getAttribute('title')).toBe(sentFrom)
    const said = (await page.locator(`#${first} > .picture > .run .row .said`).first().boundingBox())!
    expect((await line.boundingBox())!.y).toBeGreaterThan(said.y + said.height - 1)
    expect(await page.locator(`#${first} .now-facts`).textContent()).toContain(sentFrom)
    expect(await (await open()).locator('.row .line').count()).toBe(0)
  })

  it('has the same events as a table with a name, headers and a row for each', async () => {
    const page = await open()
    await page.locator(`#${first} > .picture > .run-table summary`).click()
    const table = page.getByRole('table', { name: /Every event of/ })
    // The rows come with an event of the browser after the click.
    await expect.poll(() => table.getByRole('row').count()).toBe(timeline.events.length + 1)
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Time',
      'Where',
      'What',
      'Reply',
      'Sent from',
    ])
    await expect(page.getByRole('listbox', { name: /arrow keys/ }).count()).resolves.toBeGreaterThan(0)
  })

  it('is printed with the picture of every finding, on the width of a sheet', async () => {
    const page = await open()
    await page.emulateMedia({ media: 'print' })
    const pdf = await page.pdf({ format: 'A4' })
    expect(pdf.length).toBeGreaterThan(10_000)
    expect(await page.locator(`#${second} svg.lanes .glyph.repeat`).count()).toBe(1)
    const field = page.locator(`#${first}`).getByRole('searchbox', { name: 'Search events' })
    expect(await field.isVisible()).toBe(false)
  })

  it('keeps each event beside its row on paper, and cuts off no word of the story', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    // A printer changes the layout without an event, unlike the resizing of a window.
    await page.addInitScript("addEventListener('resize', (event) => event.stopImmediatePropagation(), true)")
    await page.goto(urlOf('usual'))
    const steps = `[...document.querySelectorAll('#${first} .view')].flatMap((view) =>
      [...view.querySelectorAll('.glyph')].map((glyph) => {
        const middle = ({ top, bottom }) => (top + bottom) / 2
        const row = view.querySelector('.row[data-seq="' + glyph.dataset.seq + '"] .time')
        return Math.abs(middle(glyph.getBoundingClientRect()) - middle(row.getBoundingClientRect()))
      }))`
    const cutOff = `[...document.querySelectorAll('#${first} .said')].filter((one) => one.scrollHeight > one.clientHeight + 1).length`
    const furthest = async () => Math.max(...(await page.evaluate<number[]>(steps)))
    expect(await furthest()).toBeLessThan(9)
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    await page.setViewportSize({ width: 718, height: 1000 })
    await page.emulateMedia({ media: 'print' })
    expect(await furthest()).toBeLessThan(9)
    expect(await page.evaluate(cutOff)).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(718)
    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(await furthest()).toBeLessThan(9)
    expect(await page.locator('.view.paper').count()).toBe(0)
  })

  it('has the nearest passing run in a separate pane, if there is one', async () => {
    const page = await open()
    const pane = page.locator(`#${first}`).getByRole('region', { name: 'The nearest passing run' })
    expect(await pane.textContent()).toContain('without the pause')
    expect(await pane.locator('.glyph.effect').count()).toBe(1)
    expect(await pane.locator('.glyph.repeat').count()).toBe(0)
    await page.locator(`#${second} summary h3`).click()
    await page.locator(`#${second} .rows`).waitFor()
    expect(await page.locator(`#${second} .nearest-passing`).count()).toBe(0)
  })

  it('has the replay command below the passing run, if it has a token', async () => {
    const beside = (page: Page) => page.locator(`#${first} .nearest-passing > p code`)
    expect(await beside(await open()).textContent()).toBe('pnpm sim replay op2_x')
    const picture = pictureOf('F1', timeline, true)
    const without = { ...picture, nearestPassing: { ...picture.nearestPassing!, replay: '' } }
    const page = await open({ name: 'no-token', picture: without })
    expect(await page.locator(`#${first} .nearest-passing h4`).count()).toBe(1)
    expect(await beside(page).count()).toBe(0)
  })

  it('escapes text of layers everywhere', async () => {
    const nasty = '</script><img src=x onerror="document.title=1"><b onclick=x>'
    const events = timeline.events.map((event) => ({
      ...event,
      text: nasty,
      command: nasty,
      reply: nasty,
      sentFrom: nasty,
    }))
    const keys = timeline.keys.map((key) => ({ ...key, key: nasty, value: nasty }))
    const picture = pictureOf('F1', { ...timeline, title: nasty, events, keys })
    const page = await open({ name: 'nasty', picture })
    await page.locator(`#${first} .run-table summary`).click()
    expect(await page.locator('img, b[onclick]').count()).toBe(0)
    expect(await page.title()).not.toBe('1')
    expect(await page.locator(`#${first} .now-text`).textContent()).toBe(nasty)
  })

  describe('of many layers', () => {
    let url: string
    beforeAll(() => {
      const file = path.join(folder, 'many.html')
      const pictures = ['layer-0', 'layer-7'].map((implementation) => ({ ...pictureOf('F1'), implementation }))
      fs.writeFileSync(file, pageOf(manyLayers(30, 50), pictures))
      url = pathToFileURL(file).href
    })
    const lastPair = '#pair-layer-29-scenario-49-plain'

    it('shows the first view within a second of CPU time, and then the part that the address names', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      // Everything after the first view waits until the test continues it.
      await page.addInitScript(
        'requestAnimationFrame = ((later) => (go) => { goOn = () => later(go) })(requestAnimationFrame)',
      )
      expect(await busyOpening(page, `${url}${lastPair}`, '#finding-layer-0-plain-F1 .glyph.repeat')).toBeLessThan(1)
      expect(await page.locator('.packed').count()).toBe(3)
      await page.evaluate('goOn()')
      await expect.poll(() => page.locator('.packed').count()).toBe(0)
      expect(await page.locator('details.evidence').count()).toBe(30 * 50)
      expect(await page.locator(`${lastPair} .figures`).isVisible()).toBe(true)
      await page.getByRole('searchbox', { name: 'Search findings' }).fill('layer-7')
      expect(await page.locator('table.findings tbody tr:visible').count()).toBe(1)
      await page.locator('#finding-layer-7-plain-F1 summary h3').click()
      await page.locator('#finding-layer-7-plain-F1 .glyph.repeat').waitFor()
    })

    it('shows a heading of a later part at the top if the address names it', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
      await page.goto(`${url}#verdicts`)
      await expect.poll(() => page.locator('.packed').count()).toBe(0)
      const { top } = await page.locator('#verdicts').evaluate((element) => element.getBoundingClientRect())
      expect(Math.abs(top)).toBeLessThan(100)
    })

    it('names the parts that are missing without scripts', async () => {
      const page = await browser.newPage({ javaScriptEnabled: false })
      await page.goto(`${url}${lastPair}`)
      expect(await page.getByText('they show where scripts may run').count()).toBe(3)
      expect(await page.locator('#broke').isVisible()).toBe(true)
    })
  })

  it('shows a run of 5,000 events within a second of CPU time, with only the visible rows', async () => {
    const url = urlOf('long', pictureOf('F1', longTimeline(5000)))
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    expect(await busyOpening(page, url, `#${first} .glyph.repeat`)).toBeLessThan(1)
    await page.locator(`#${first}`).getByRole('button', { name: 'All events' }).click()
    const rows = page.locator(`#${first} > .picture > .run .row`)
    expect(await rows.count()).toBeLessThan(120)
    await page.locator(`#${first} > .picture > .run .frame`).evaluate((frame) => frame.scrollTo(0, 100_000))
    await expect.poll(() => rows.first().getAttribute('data-at').then(Number)).toBeGreaterThan(3000)
  })
})
