import fs from 'node:fs'

export const page = fs.readFileSync(new URL('../../docs/findings/library-comparison.md', import.meta.url), 'utf8')

/** Every violation on the page, with its token. */
export const reported = page
  .split(/^## /m)
  .slice(1)
  .flatMap((section) =>
    [
      ...section.matchAll(
        /^\*\*([\w ]+)\*\*: `([\w-]+)` \(([\w:-]+)\) in run .*\n\n```\npnpm sim replay (op2_\S+)(?: --impl '.*')?\n```$/gm,
      ),
    ].map(([, asked, invariant, kind, token]) => ({
      id: section.slice(0, section.indexOf('\n')),
      asked: asked!,
      way: `${invariant} ${kind}`,
      token: token!,
    })),
  )
