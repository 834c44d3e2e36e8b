/**
 * Finds the line at which the main thread is blocked. The watchdog's thread calls this code, which
 * uses the inspector.
 */
import { type Debugger, type Profiler, Session } from 'node:inspector'
import { SourceMap } from 'node:module'
import path from 'node:path'

/** How long the thread is profiled, in milliseconds: enough for some hundred samples. */
const watchedMs = 300
const answersWithinMs = 5_000

/** A layer's bundle is evaluated under the path of its adapter with this suffix. */
const ending = '.bundle.js'
const inlineMap = /^\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)/

interface Place {
  readonly scriptId: string
  readonly url: string
  /** Counted from 1. */
  readonly line: number
}

/**
 * The layer's line, as `layer.ts:12`; null if the thread is not in the layer, or the inspector is
 * too slow.
 */
export async function busyLine(): Promise<string | null> {
  const session = new Session()
  session.connectToMainThread()
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), answersWithinMs))
  const line = await Promise.race([lookInto(session), late])
  session.disconnect()
  return line
}

async function lookInto(session: Session): Promise<string | null> {
  const bundles = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
    if (url.endsWith(ending)) bundles.set(scriptId, url)
  })
  session.post('Debugger.enable')
  const place = (await stopped(session, bundles)) ?? (await watched(session))
  if (place === null) return null
  const { scriptId } = place
  return new Promise((resolve) => {
    session.post('Debugger.getScriptSource', { scriptId }, (error, found) =>
      resolve(error === null ? lineOf(place, found.scriptSource) : null),
    )
  })
}

/** The layer's line in the stack at which the debugger pauses. */
async function stopped(session: Session, bundles: ReadonlyMap<string, string>): Promise<Place | null> {
  const frames = await new Promise<readonly Debugger.CallFrame[]>((resolve) => {
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames))
    session.post('Debugger.pause')
  })
  session.post('Debugger.resume')
  const place = frames.map(({ location }) => location).find(({ scriptId }) => bundles.has(scriptId))
  if (place === undefined) return null
  return { scriptId: place.scriptId, url: bundles.get(place.scriptId)!, line: place.lineNumber + 1 }
}

/**
 * The place in the layer with the most samples of a profile. It is used if the debugger paused
 * outside of the layer, as in a loop of promises, which may pause only between two turns. Inlined
 * code appears in no sample.
 */
function watched(session: Session): Promise<Place | null> {
  session.post('Profiler.enable')
  session.post('Profiler.start')
  return new Promise((resolve) => {
    const stop = () =>
      session.post('Profiler.stop', (error, found) => resolve(error === null ? busiest(found.profile) : null))
    setTimeout(stop, watchedMs)
  })
}

/** Samples in functions that the layer calls are attributed to the layer's line. */
function busiest({ nodes }: Profiler.Profile): Place | null {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const hitsOf = ({ hitCount = 0, children = [] }: Profiler.ProfileNode): number =>
    children.reduce((sum, id) => sum + hitsOf(byId.get(id)!), hitCount)
  const isOwn = ({ callFrame: { url } }: Profiler.ProfileNode) => url.endsWith(ending)
  const deepest = nodes.filter((node) => isOwn(node) && !(node.children ?? []).some((id) => isOwn(byId.get(id)!)))
  const [node] = deepest.sort((a, b) => hitsOf(b) - hitsOf(a))
  if (node === undefined) return null
  const { scriptId, url, lineNumber } = node.callFrame
  const [tick] = [...(node.positionTicks ?? [])].sort((a, b) => b.ticks - a.ticks)
  return { scriptId, url, line: tick?.line ?? lineNumber + 1 }
}

function lineOf({ url, line }: Place, code: string): string | null {
  const encoded = inlineMap.exec(code.slice(code.lastIndexOf('\n//# sourceMappingURL=')))?.[1]
  if (encoded === undefined) return null
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()))
  const entry = map.findEntry(line - 1, Number.MAX_SAFE_INTEGER)
  if (!('originalSource' in entry)) return null
  const source = path.resolve(path.dirname(url.replace(/^file:\/\//, '')), entry.originalSource)
  return `${path.relative('', source)}:${entry.originalLine + 1}`
}
