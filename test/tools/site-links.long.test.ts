import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { packageFolder } from '../architecture/pages.ts'
import { temporaryFolder, write } from '../cli/run-cli.ts'

/** What the site's build prints for a project with this page. */
async function built(page: string): Promise<{ code: number; output: string }> {
  const folder = temporaryFolder()
  fs.symlinkSync(path.join(packageFolder, 'node_modules'), path.join(folder, 'node_modules'))
  for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']) write(folder, name, `# ${name}`)
  for (const name of ['start', 'guide', 'reference', 'how-it-works', 'findings'])
    fs.mkdirSync(path.join(folder, 'docs', name), { recursive: true })
  write(folder, 'package.json', '{ "type": "module" }')
  write(folder, 'docs/start/page.md', page)
  write(folder, 'src/a.ts', 'export {}')
  const config = path.join(packageFolder, 'tools/site/config.ts')
  write(folder, '.vitepress/config.ts', `import { siteOf } from '${config}'\nexport default siteOf('${folder}')\n`)
  const build = promisify(execFile)('npx', ['vitepress', 'build', folder], { cwd: packageFolder })
  const { code = 0, stdout, stderr } = await build.catch((error) => error)
  return { code, output: `${stdout}${stderr}` }
}

describe('the build of the site', () => {
  it('passes if links lead to a page, a heading and a source file', async () => {
    const { code, output } = await built('# Page\n\n[a](../../README.md) [b](#page) [c](../../src/a.ts)')
    expect(output).toContain('build complete')
    expect(code).toBe(0)
  })

  it('fails for a link to a page that is missing', async () => {
    const { code, output } = await built('# Page\n\n[a](missing.md)')
    expect(output).toMatch(/docs\/start\/page\.md: dead link missing\.md/)
    expect(code).toBe(1)
  })

  it('fails for a link to a source file that is missing', async () => {
    const { code, output } = await built('# Page\n\n[a](../../src/b.ts)')
    expect(output).toMatch(/docs\/start\/page\.md: dead link \.\.\/\.\.\/src\/b\.ts/)
    expect(code).toBe(1)
  })
})
