/**
 * `pnpm images`: takes the pictures of docs/images from real pages in the system's Chromium: the
 * index of findings, one finding and the matrix, in both themes. It plays the campaigns of these
 * pages, unless options name existing pages.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { systemChromium } from './chromium.ts'

interface Options {
  readonly run?: string
  readonly matrix?: string
  readonly finding: string
  readonly folder: string
}

const packageFolder = fileURLToPath(new URL('../../', import.meta.url))
const options = new Command('images')
  .description('the pictures of docs/images: index of findings, one finding, matrix, in both themes')
  .option('--run <page>', 'a page of `pnpm sim run` instead of the played one of 000-set-nx-marker')
  .option('--matrix <page>', 'a page of `pnpm sim matrix` instead of the played one of the pure scenarios')
  .option('--finding <kind>', 'the first finding of that kind is shown', 'repeat-after-loss:split-brain')
  .option('--folder <folder>', 'where the pictures go', path.join(packageFolder, 'docs', 'images'))
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))
  .opts<Options>()

const executablePath = systemChromium()
if (executablePath === null) throw new Error('no Chromium is installed (Debian: apt-get install chromium)')
const pages = {
  run: options.run ?? played('images-run', ['run', '--impl', '000-set-nx-marker']),
  matrix: options.matrix ?? played('images-matrix', ['matrix', '--scenario', 'only-*']),
}
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
for (const theme of ['light', 'dark'] as const) {
  const run = await opened(browser, pages.run, theme, 1280)
  await taken(run, run.locator('section[aria-labelledby=broke]'), `findings-${theme}`, 1044)
  const found = run.locator('details[id^=finding-]').filter({ hasText: options.finding }).first()
  await found.locator('> summary').click()
  const picture = found.locator('> .picture > .run')
  await picture.waitFor()
  const [whole, drawn] = [await found.boundingBox(), await picture.boundingBox()]
  await taken(run, found, `finding-${theme}`, drawn!.y + drawn!.height - whole!.y)
  const matrix = await opened(browser, pages.matrix, theme, 1120)
  await taken(matrix, matrix.locator('section[aria-labelledby=heat]'), `matrix-${theme}`)
}
await browser.close()

/**
 * Plays a campaign and returns the path of its page. The exit code does not matter, because the
 * campaign may find violations.
 */
function played(reports: string, command: readonly string[]): string {
  const folder = path.join(packageFolder, 'reports', reports)
  const how = { cwd: packageFolder, stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[] }
  spawnSync(process.execPath, ['bin/onceproof.mjs', ...command, '--reports', folder], how)
  return path.join(folder, 'latest', 'index.html')
}

async function opened(browser: Browser, file: string, colorScheme: 'light' | 'dark', width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  await page.goto(pathToFileURL(path.resolve(file)).href)
  return page
}

/**
 * Takes a picture of the element, up to the given height, because a page of many layers is too long
 * for a whole picture.
 */
async function taken(page: Page, what: Locator, name: string, height = Number.POSITIVE_INFINITY): Promise<void> {
  const margin = 8
  const whole = Math.min((await what.boundingBox())!.height, height)
  await page.setViewportSize({ width: page.viewportSize()!.width, height: Math.ceil(whole) + 2 * margin })
  await what.evaluate((shown, above) => {
    shown.style.scrollMarginTop = `${above}px`
    shown.scrollIntoView({ block: 'start' })
  }, margin)
  const box = (await what.boundingBox())!
  const clip = {
    x: Math.max(0, box.x - margin),
    y: Math.max(0, box.y - margin),
    width: box.width + 2 * margin,
    height: Math.min(box.height, height) + 2 * margin,
  }
  await page.screenshot({ path: path.join(options.folder, `${name}.png`), clip })
  process.stderr.write(`${name}.png\n`)
}
