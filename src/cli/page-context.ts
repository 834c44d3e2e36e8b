/** The additional data of a report's page: time, commit, digests, source lines and remedies. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { anchorOf } from '../contract/results/heading-anchor.ts'
import type { PageContext } from '../report/page/context.ts'
import { packageFolder } from './catalogue.ts'
import { type LayerFiles, pathOf } from './for-machines.ts'

/** `ofReports`: as in the context. */
export function pageContext(files: LayerFiles, ofReports: string): PageContext {
  // Cached, because a page is laid out several times until it fits.
  const texts = new Map<string, string | null>()
  const textOf = (file: string): string | null => {
    const known = texts.get(file)
    if (known !== undefined) return known
    const text = readText(file)
    texts.set(file, text)
    return text
  }
  return {
    madeAt: new Date().toISOString().slice(0, 16).replace('T', ' '),
    commit: commitOf(),
    digests: new Map([...files].map(([id, { digest }]) => [id, digest])),
    sourceOf({ implementation, sourceLine }) {
      const file = files.get(implementation)
      if (file === undefined || sourceLine === undefined) return null
      return textOf(pathOf(file.path, sourceLine))?.split(/\r?\n/) ?? null
    },
    ofReports,
    remedyOf: (instead) => remedyIn(textOf(path.join(packageFolder, 'docs', 'findings', 'instead.md')) ?? '', instead),
  }
}

/**
 * The commit, with `-dirty` if files have uncommitted changes. Null without Git or outside of a
 * repository.
 */
function commitOf(): string | null {
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], {
    encoding: 'utf8',
    timeout: 3000,
  })
  return status === 0 ? stdout.trim() : null
}

function readText(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/**
 * The first paragraph of the section that `instead` refers to, without Markdown marks. `instead`:
 * `docs/findings/instead.md#a-crash-in-between`.
 */
export function remedyIn(text: string, instead: string): string | null {
  const anchor = instead.split('#')[1]
  const section = text.split(/^### /m).find((part) => anchorOf(part.split('\n', 1)[0]!.trim()) === anchor)
  const paragraph = section?.split('\n\n')[1]
  if (paragraph === undefined) return null
  return paragraph.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
}
