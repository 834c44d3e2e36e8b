import type { AdapterFiles } from 'virtual-node/runtime'
import { caller, digestOf, LoadError } from 'virtual-node/runtime'
import { nameOfBoth } from '../../contract/api/two-versions.ts'
import { defineUpgrade, isUpgraded } from '../../contract/api/upgrade.ts'
import type { LoadedImplementation } from './load-implementation.ts'

/**
 * A rolling upgrade between two layers. Each version has its own modules, files and scripts, and
 * each process runs one version. `path` is the path of the upgrade.
 * @throws LoadError if one is a program and the other is not
 */
export function bothVersions(
  path: string,
  from: LoadedImplementation,
  next: LoadedImplementation,
): LoadedImplementation {
  if (from.elsewhere !== next.elsewhere)
    throw new LoadError(path, 'one run cannot play a program and a module; use two programs or two modules')
  const versionOf = (processName: string) => (hasNext(processName) ? next : from)
  return {
    implementation: {
      ...defineUpgrade({
        id: nameOfBoth({ from: from.implementation.id, next: next.implementation.id }),
        from: from.implementation,
        to: next.implementation,
      }),
      ...([from, next].some(({ implementation }) => implementation.expect === 'broken') ? { expect: 'broken' } : {}),
    },
    path,
    instantiate: (processName, fresh) => versionOf(processName).instantiate(processName, fresh),
    takeIn() {
      const taking = [from.takeIn(), next.takeIn()].filter((one) => one !== null)
      return taking.length === 0 ? null : Promise.all(taking).then(() => {})
    },
    get scripts() {
      return [...from.scripts, ...next.scripts]
    },
    ...(from.sources === undefined || next.sources === undefined
      ? {}
      : { sources: bothSources(from.sources, next.sources) }),
    ...(from.elsewhere ? { elsewhere: true } : {}),
    digest: digestOf([from.digest, next.digest].join()).slice(0, 8),
    files: bothFiles(from.files, next.files),
  }
}

/** True for a process of the new version. The operator's process has the old version. */
const hasNext = (processName: string): boolean => processName !== 'operator' && isUpgraded(processName)

type Sources = NonNullable<LoadedImplementation['sources']>

/** A stack has frames of one version only: the version of its process. */
function bothSources(from: Sources, next: Sources): Sources {
  return {
    caller: () => from.caller() ?? next.caller(),
    framesOf: (stack) => [...from.framesOf(stack), ...next.framesOf(stack)],
  }
}

function bothFiles(from: AdapterFiles, next: AdapterFiles): AdapterFiles {
  const own = () => (hasNext(caller()!.name) ? next : from)
  return {
    loaded: bothLoaded(from.loaded, next.loaded),
    loading: false,
    place: (given) => own().place(given),
    seenAs: (real) => own().seenAs(real),
    noteEarly: (what) => own().noteEarly(what),
  }
}

type Loaded = AdapterFiles['loaded']

/**
 * File names are relative to each version's project. If both projects have a file of the same name
 * with different content, both files are listed.
 */
function bothLoaded(from: Loaded, next: Loaded): Loaded {
  const named = (version: string, own: Loaded, other: Loaded) =>
    [...own].map(([what, digest]) => [differs(digest, other.get(what)) ? `${version}:${what}` : what, digest] as const)
  return new Map([...named('from', from, next), ...named('next', next, from)])
}

const differs = (digest: string, other: string | undefined): boolean => other !== undefined && other !== digest
