/**
 * Embeds interactive pictures of findings. After a code block `pnpm sim replay <token> --html
 * <name>.html`, the site shows the page that this command writes.
 */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { MarkdownRenderer } from 'vitepress'

const page = 'docs/findings/pictures.md'
const command = /^pnpm sim (replay \S+ --html) (\S+\.html)$/m

/** Adds a frame below each code block of the page that contains such a command. */
export function framed(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.fence!
  markdown.renderer.rules.fence = (tokens, at, options, env: { relativePath: string }, self) => {
    const block = render(tokens, at, options, env, self)
    const [, , name] = (env.relativePath === page && command.exec(tokens[at]!.content)) || []
    const style = 'width: 100%; height: 80vh; border: 1px solid var(--vp-c-divider)'
    return name === undefined
      ? block
      : `${block}<iframe src="pictures/${name}" title="${name}" loading="lazy" style="${style}"></iframe>`
  }
}

/**
 * Plays the commands of the page. Each takes seconds.
 * @throws Error if a command writes no page
 */
export async function playPictures(project: string, site: string): Promise<void> {
  const file = path.join(project, page)
  if (!fs.existsSync(file)) return
  const folder = path.join(site, 'docs/findings/pictures')
  fs.mkdirSync(folder, { recursive: true })
  for (const [, replay, name] of fs.readFileSync(file, 'utf8').matchAll(new RegExp(command, 'gm'))) {
    const picture = path.join(folder, name!)
    const words = ['bin/onceproof.mjs', ...replay!.split(' '), picture]
    // The command exits with code 1, because it finds a violation.
    const { code } = await promisify(execFile)(process.execPath, words, { cwd: project }).catch((error) => error)
    if (!fs.existsSync(picture))
      throw new Error(`${page}: ${name} was not written: the replay ended with exit code ${code}`)
  }
}
