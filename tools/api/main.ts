/** `pnpm api`: lists pages of docs/reference/api that are out of date; `--write` writes them. */
import fs from 'node:fs'
import path from 'node:path'
import { apiOf, entryPoints, faultsOf, pageOf, project } from './page.ts'

const isWriting = process.argv.includes('--write')
for (const entry of entryPoints()) {
  const api = apiOf(entry)
  for (const fault of faultsOf(api)) console.log(fault)
  const [file, page] = [path.join(project, entry.page), pageOf(api)]
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === page) continue
  if (!isWriting) process.exitCode = 1
  else {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, page)
  }
  console.log(`${entry.page} ${isWriting ? 'is written' : 'is out of date: pnpm api --write'}`)
}
