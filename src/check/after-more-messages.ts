/**
 * Decides whether the keys that a run leaves in Redis grow with the number of messages, if the few
 * messages of the run do not show it. Compares the run with a second one: the same run with a short
 * retention and more messages at its end.
 *
 * The keys do not grow if both conditions hold:
 * - The keys of the first run are gone: at most one changing name (see `isChanging`) is listed at
 *   the end of both runs.
 * - In the second run, the number of changing names and the growth of each structure are below half
 *   of the number of added messages.
 *
 * Not detected: an entry that remains in a structure after the message key that it belongs to is
 * gone.
 */
import type { History, KeptStructure } from '../contract/api/history.ts'
import { type EventOf, indexHistory } from '../contract/api/history-index.ts'

type Counted = EventOf<'keys-counted'>

/** `before`: the run. `after`: the same run with `added` more messages. */
export function growsWithMore(before: History, after: History, added: number): boolean {
  const [one, other] = [before, after].map((history) => indexHistory(history))
  const [first, last] = [one!, other!].map((reading) => reading.of('keys-counted').at(-1))
  if (first === undefined || last === undefined || !isWhole(after)) return true
  if (!isListed(first) || !isListed(last)) return true
  const names = new Set(changingNames(first))
  const stayed = changingNames(last).filter((name) => names.has(name))
  const isMany = (more: number) => more >= added / 2
  const sizes = new Map(structuresOf(first).map(({ key, size }) => [key, size]))
  return (
    stayed.length > 1 ||
    isMany(changingNames(last).length) ||
    structuresOf(last).some(
      ({ key, size, kept }) =>
        kept !== 'trimmed' && (sizes.has(key) || !isChanging(key)) && isMany(size - (sizes.get(key) ?? 0)),
    )
  )
}

function isWhole(history: History): boolean {
  const reading = indexHistory(history)
  return reading.of('unsupported').length === 0 && reading.of('ended').at(-1)?.complete === true
}

/** False if the history lists only the first 100 names. */
const isListed = ({ withoutExpiry, namesWithoutExpiry = [] }: Counted): boolean =>
  withoutExpiry === namesWithoutExpiry.length

/** An ASCII name without a digit is a constant of the layer, so there is only one such key. */
const isChanging = (name: string): boolean => /\d|[^ -~]/.test(name)

const changingNames = ({ namesWithoutExpiry = [] }: Counted): readonly string[] => namesWithoutExpiry.filter(isChanging)

const structuresOf = ({ structures = [] }: Counted): readonly KeptStructure[] => structures
