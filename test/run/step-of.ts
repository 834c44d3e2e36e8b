import { type Boundary, boundaries } from '../../src/contract/api/plan.ts'
import { type Step, stepText } from '../../src/contract/results/step.ts'

/**
 * The step with that text, so that tests use the printed names. Keys here have no spaces, and a
 * label of several words is followed by a key.
 */
export function stepOf(text: string): Step {
  const step = read(text)
  if (stepText(step) !== text) throw new Error(`no step has the text ${text}`)
  return step
}

function read(text: string): Step {
  const hungUp = text.endsWith(' (hung up)')
  const nth = Number(/ \(request (\d+)\)$/.exec(text)?.[1] ?? 1)
  const words = text.replace(/ \((hung up|request \d+)\)$/, '').split(' ')
  const [who = '', kind = '', ...rest] = words
  const [first = '', second = ''] = rest
  const last = words.at(-1)!
  if (text === 'begin') return { kind: text }
  if (who === 'timer' || who === 'carried' || who === 'turn' || who === 'running')
    return { kind: who, nth: Number(kind) }
  switch (kind) {
    case 'created':
    case 'create-failed':
    case 'died':
    case 'lets-go':
      return { kind, process: who }
    case 'effect-sent':
      return { kind, process: who, key: first }
    case 'effect-arrived':
      return { kind, process: who, key: first, nth }
    case 'effect-settled':
      return { kind, process: who, answer: first as 'error', key: second, nth }
    case 'answered':
      if (rest.length === 2) return { kind, process: who, key: first, how: second }
      break
    case 'handshake-answered':
    case 'told':
    case 'refused':
    case 'disconnected':
      return {
        kind: 'heard',
        process: who,
        what: kind,
        server: rest.length === 2 ? first : null,
        connection: Number(last),
      }
    case 'asks':
    case 'hears':
      return { kind, process: who, server: first, question: second }
    case 'promoted':
      return { kind, server: who }
    case 'has':
      return { kind: 'has-write', server: who, primary: last, nth: Number(second) }
    case 'announces':
      return { kind, watcher: who, primary: first }
    case 'knows': {
      const at = rest.indexOf('failing')
      const served = rest.slice(1, at < 0 ? undefined : at).map((one) => one.split('+'))
      const shards = served.map(([owner, ...replicas]) => ({ owner: owner === '-' ? null : owner!, replicas }))
      return { kind, server: who, view: { state: first as 'ok', shards, failing: at < 0 ? [] : rest.slice(at + 1) } }
    }
  }
  if (!boundaries.includes(kind as Boundary)) throw new Error(`no step has the text ${text}`)
  const label = rest.length > 1 ? rest.slice(0, -1).join(' ') : (rest[0] ?? null)
  return { kind: 'pass', process: who, boundary: kind as Boundary, label, key: rest.length > 1 ? last : null, hungUp }
}
