/** Hears what processes look at of Node's inside and of their machine. Tools list it. */
type Listener = (what: string) => void

let heard: Listener | null = null

/** Null ends it. */
export function listenToProbes(listener: Listener | null): void {
  heard = listener
}

/** A process looks at something, which is answered. */
export function probed(what: string): void {
  heard?.(what)
}
