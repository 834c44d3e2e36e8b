// Runs command lines one after another, each in its folder, as the process does that a user starts for each of them.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { compiledFolder } from '../../bin/compiled.mjs'

const folder = await compiledFolder(path.join(import.meta.dirname, '../..'))
const { exitCodeOf } = await import(pathToFileURL(path.join(folder, 'src.cli.main.js')).href)

// Every command listens to them, for as long as its process lives.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0)

process.on('message', async ({ args, cwd }) => {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (text, ...rest) => {
      said[name] += text
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }
  process.chdir(cwd)
  process.setSourceMapsEnabled(args.includes('replay'))
  const code = await exitCodeOf(args)
  process.send({ code, ...said })
})
process.on('disconnect', () => process.exit())
