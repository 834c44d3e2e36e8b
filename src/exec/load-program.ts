import { caller, digestOf, install, LoadError } from 'virtual-node/runtime'
import { currentAdapter } from '../contract/api/former-names.ts'
import type { CreateContext, Implementation } from '../contract/api/implementation.ts'
import { adapterProblem } from '../sim/adapters/adapter-problem.ts'
import type { LoadedImplementation } from '../sim/adapters/load-implementation.ts'
import { ReadableFiles } from '../sim/adapters/loader.ts'
import { Consumer } from './consumer.ts'
import type { PidBook } from './pid-book.ts'
import { Program, type Timeouts } from './program.ts'
import { scriptFiles } from './program-files.ts'
import type { Hello } from './protocol.ts'

/** The declarations of a program about its layer, with the same names as in an adapter. */
const members = [
  'id',
  'about',
  'recoveryBoundMs',
  'answersWithinMs',
  'minLeaseMs',
  'serial',
  'broker',
  'withoutKey',
  'bindsProducedAt',
  'maxClockSkewMs',
  'deadLetterReasons',
  'expect',
  'sinks',
  'lacks',
  'has',
  'accepts',
  'waitsForReplicas',
] as const

/**
 * Starts a program that contains a layer, for example `exec:python3 layer.py`. Each consumer is a
 * real process of the program.
 * @throws LoadError
 */
export async function loadProgram(name: string, pids: PidBook, timeouts?: Timeouts): Promise<LoadedImplementation> {
  install()
  const program = await Program.start(name, pids, timeouts)
  const consumer = (reaches: Pick<CreateContext, 'sink' | 'lock'> | null) => {
    const process = caller()
    if (process === null) throw new Error('a program runs only in simulated processes')
    return new Consumer(process, program, reaches)
  }
  const { deploys } = program.hello
  const implementation: Implementation = {
    ...said(currentAdapter(program.hello)),
    ...(deploys ? { deploy: (context) => consumer(null).deploy(context) } : {}),
    create: (context) => consumer(context).create(context),
  }
  const problem = adapterProblem(implementation)
  if (problem !== null) throw new LoadError(name, problem)
  const scripts = scriptFiles(name)
  return {
    implementation,
    path: name,
    instantiate: () => implementation,
    takeIn: () => null,
    scripts: [],
    elsewhere: true,
    digest: digestOf([...scripts].map(([, content]) => digestOf(content)).join()).slice(0, 8),
    files: filesOf(scripts),
  }
}

/** The scripts of the program count as files of a run, like the files that an adapter reads. */
function filesOf(scripts: ReturnType<typeof scriptFiles>): ReadableFiles {
  const files = new ReadableFiles(process.cwd())
  for (const [file, content] of scripts) files.loaded.set(`program ${files.place(file).name}`, digestOf(content))
  return files
}

function said(hello: Hello): Omit<Implementation, 'create'> {
  const given = members.flatMap((name) => (hello[name] === undefined ? [] : [[name, hello[name]]]))
  const shapes = hello.shapes ?? ['single']
  const clocks = hello.clocks === 'own' ? { ownClocks: true } : {}
  return { ...Object.fromEntries(given), ...clocks, shapes } as Omit<Implementation, 'create'>
}
