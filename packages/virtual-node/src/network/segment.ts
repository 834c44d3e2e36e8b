import type { ChoiceStream } from '../kernel/choices.ts'
import type { VirtualProcess } from '../runtime/process.ts'
import type { Pipe } from './pipe.ts'

/**
 * `label` names the command that the bytes carry or answer; null if it does not matter
 * (handshakes).
 */
export interface Data {
  readonly kind: 'data'
  readonly bytes: string
  readonly label: string | null
}

/** A segment on a connection of a process. */
export type Segment =
  | { readonly kind: 'syn' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' }
  | Data
  | { readonly kind: 'fin' }
  | { readonly kind: 'rst' }

/** The name of a segment in a choice: the label of its command, or its role for the connection. */
export function nameOfSegment(segment: Segment): string {
  return segment.kind === 'data' ? (segment.label ?? 'handshake') : segment.kind
}

/**
 * A process ended. Its writes may still be in flight; any prefix of these writes still arrives
 * (docs/how-it-works/design.md 8).
 * @returns the segments that are certainly lost, without a write that was cut in its middle
 */
export function cutAtCrash(out: Pipe<Segment, VirtualProcess>, chance: ChoiceStream): Segment[] {
  const written = out.underway
  const lost = written.length === 0 ? 0 : chance.choose('crash: writes lost', written.length + 1)
  const dropped = out.cut(written.length - lost)
  const [first] = dropped
  if (first?.kind === 'data' && chance.choose('crash: part of the first lost write', 4) === 3) {
    const kept = 1 + chance.choose('crash: bytes kept', Math.max(1, first.bytes.length - 1))
    out.send({ kind: 'data', bytes: first.bytes.slice(0, kept), label: null })
    dropped.shift()
  }
  return dropped
}
