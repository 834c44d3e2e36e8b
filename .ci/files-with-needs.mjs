// Prints the test files that import test/needs/needs.ts, by themselves or through helpers, one a line.
import fs from 'node:fs'
import path from 'node:path'

const packages = fs.readdirSync('packages').map((name) => `packages/${name}/test`)
const files = ['test', ...packages.filter((folder) => fs.existsSync(folder))].flatMap((folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name)),
)
const imports = new Map(
  files.map((file) => {
    const named = fs.readFileSync(file, 'utf8').matchAll(/ from '(\.[^']*)'/g)
    return [file, [...named].map(([, name]) => path.join(path.dirname(file), name))]
  }),
)

const users = new Set(['test/needs/needs.ts'])
for (const user of users) for (const file of files) if (imports.get(file).includes(user)) users.add(file)

for (const file of [...users].sort()) if (/\.(server|long)\.test\.ts$/.test(file)) console.log(file)
