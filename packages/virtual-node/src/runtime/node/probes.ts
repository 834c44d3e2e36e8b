/**
 * Notifies a listener when processes inspect Node's internals or their machine. Tools list these
 * probes.
 */
type Listener = (what: string) => void

let heard: Listener | null = null

/** Null ends listening. */
export function listenToProbes(listener: Listener | null): void {
  heard = listener
}

/** A process inspects something and gets an answer. */
export function probed(what: string): void {
  heard?.(what)
}
