/**
 * `pnpm instead`: renders the page that shows a repaired version of each pattern. `--write` writes
 * the page to docs/findings/instead.md.
 */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { packageFolder } from '../../src/cli/catalogue.ts'
import { insteadPage } from './instead-page.ts'
import { measured } from './measure.ts'

const args = process.argv.slice(2).filter((argument) => argument !== '--')
const { values } = parseArgs({ args, options: { write: { type: 'boolean' } } })
const page = insteadPage(await measured())
if (values.write === true) fs.writeFileSync(path.join(packageFolder, 'docs', 'findings', 'instead.md'), page)
else process.stdout.write(page)
