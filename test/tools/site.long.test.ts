import { execFile } from 'node:child_process'
import fs from 'node:fs'
import http, { type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type Frame, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { packageFolder } from '../architecture/pages.ts'
import { needs, pathOf } from '../needs/needs.ts'

const patientMs = 300_000
const types: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png' },
  ...{ '.txt': 'text/plain', '.json': 'application/json' },
}

/** Serves the files of a folder, as any web server does. */
async function serve(folder: string): Promise<Server> {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://site')
    const file = path.join(folder, pathname.endsWith('/') ? `${pathname}index.html` : decodeURI(pathname))
    if (!fs.existsSync(file)) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' })
    fs.createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

needs({ chromium: true }).describe('the site in a browser', () => {
  let browser: Browser
  let server: Server
  let origin: string
  let asked: string[] = []
  let errors: string[] = []

  const open = async (at: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> => {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } })
    page.on('request', (request) => asked.push(request.url()))
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`${origin}${at}`, { waitUntil: 'networkidle' })
    return page
  }
  /** The sum of red, green and blue of its ground, each up to 255. */
  const brightness = async (shown: Page | Frame) => {
    const colour = await shown.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    return colour
      .match(/\d+/g)!
      .slice(0, 3)
      .reduce((sum, one) => sum + Number(one), 0)
  }

  /** Requests to another server than that of the site. */
  const elsewhere = () => asked.filter((url) => !url.startsWith(origin) && !/^(data|blob|about):/.test(url))

  beforeAll(async () => {
    await promisify(execFile)('npx', ['vitepress', 'build', 'tools/site'], { cwd: packageFolder })
    server = await serve(path.join(packageFolder, 'dist/site'))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await chromium.launch({ executablePath: pathOf('chromium'), args: ['--no-sandbox'] })
  }, patientMs)
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(errors).toEqual([])
    expect(elsewhere()).toEqual([])
    asked = []
    errors = []
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  it('finds a page by the search, and opens it', async () => {
    const page = await open('/')
    await page.locator('.VPNavBarSearch button').click()
    await page.locator('input.search-input').fill('exit codes')
    await page.locator('.results a.result[href="/docs/reference/commands.html#exit-codes"]').click()
    await page.waitForURL(/\/docs\/reference\/commands\.html#exit-codes$/)
    // VitePress changes the address before it shows the page.
    await page.locator('.VPDoc #exit-codes').waitFor({ state: 'visible' })
  })

  it('has the groups of docs in its sidebar', async () => {
    const page = await open('/')
    expect(await page.locator('.VPSidebarItem.level-0.collapsible > .item .text').allTextContents()).toEqual([
      ...['Start', 'Guide', 'Reference', 'How it works', 'Findings'],
    ])
  })

  it('is light or dark as the system of the reader, and its pictures with it', async () => {
    for (const wanted of ['light', 'dark'] as const) {
      const page = await open('/docs/findings/pictures.html', wanted)
      const frame = page.locator('.VPDoc iframe').first()
      await frame.scrollIntoViewIfNeeded()
      // The frame is blank until its page has been loaded.
      await frame.contentFrame().locator('.glyph').first().waitFor({ state: 'attached' })
      const picture = await (await frame.elementHandle())!.contentFrame()
      const shown = [await brightness(page), await brightness(picture!)]
      for (const ground of shown)
        if (wanted === 'dark') expect(ground).toBeLessThan(200)
        else expect(ground).toBeGreaterThan(600)
    }
  })

  it('would be caught asking another server', async () => {
    const page = await open('/')
    expect(asked.length).toBeGreaterThan(3)
    await page.evaluate(`fetch('http://127.0.0.1:1/font.woff2').catch(() => {})`)
    expect(elsewhere()).toEqual(['http://127.0.0.1:1/font.woff2'])
    asked = []
  })

  it('shows three live pictures', async () => {
    const page = await open('/docs/findings/pictures.html')
    await expect.poll(() => page.locator('.VPDoc iframe').count()).toBe(3)
    for (const name of ['race', 'late-effect', 'two-primaries']) {
      const frame = page.frameLocator(`iframe[title="${name}.html"]`)
      await page.locator(`iframe[title="${name}.html"]`).scrollIntoViewIfNeeded()
      await expect.poll(() => frame.locator('.glyph.repeat').count(), { timeout: 10_000 }).toBeGreaterThan(0)
    }
  })

  it('has every file and heading that its links name', async () => {
    const folder = path.join(packageFolder, 'dist/site')
    const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const pages = names.filter((name) => name.endsWith('.html') && !/404|pictures\//.test(name))
    const texts = new Map(pages.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]))
    const dead = [...texts].flatMap(([name, text]) =>
      [...text.matchAll(/<a [^>]*?href="(?!https?:|mailto:)([^"#]*)(?:#([^"]*))?"/g)].flatMap(
        ([, to = '', heading]) => {
          const target = decodeURI(
            path.posix.join('/', to === '' ? name : path.posix.resolve('/', path.posix.dirname(name), to)),
          )
          const file = (to.endsWith('/') ? path.posix.join(target, 'index.html') : target).slice(1)
          const there =
            names.includes(file) &&
            (!heading || texts.get(file)?.includes(`id="${decodeURIComponent(heading)}"`) !== false)
          return there ? [] : [`${name}: ${to}#${heading ?? ''}`]
        },
      ),
    )
    expect(pages.length).toBeGreaterThan(60)
    expect(dead).toEqual([])
    await open('/')
  })
})
