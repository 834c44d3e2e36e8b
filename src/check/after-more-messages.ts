/**
 * Whether the keys that a run left in Redis grow with messages, when its few messages do not show
 * it: the same run, with a short retention and more messages after it, shows what becomes of them.
 *
 * They do not grow if both of these hold:
 * - The keys of the run itself are gone. At most one changing name is in both counts.
 * - Fewer than half of the added messages left a changing name, or an entry of a structure.
 *
 * An entry that stays in a structure without its key is not seen here.
 */
import type { History, KeptStructure } from '../contract/api/history.ts'
import { type EventOf, indexHistory } from '../contract/api/history-index.ts'

type Counted = EventOf<'keys-counted'>

/** `before`: the run. `after`: the same with `added` more messages. */
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

/** A history lists the first names only. */
const isListed = ({ withoutExpiry, namesWithoutExpiry = [] }: Counted): boolean =>
  withoutExpiry === namesWithoutExpiry.length

/** A name of ASCII without a digit is the layer's own, and there is one of it. */
const isChanging = (name: string): boolean => /\d|[^ -~]/.test(name)

const changingNames = ({ namesWithoutExpiry = [] }: Counted): readonly string[] => namesWithoutExpiry.filter(isChanging)

const structuresOf = ({ structures = [] }: Counted): readonly KeptStructure[] => structures
