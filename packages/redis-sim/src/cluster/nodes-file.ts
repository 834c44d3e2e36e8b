/**
 * A node's own file (nodes.conf of a real one): what an operator arranged, then what it learned. It
 * outlives the process.
 */

/** From and to, both included. */
export type SlotRange = readonly [number, number]

export interface SavedNode {
  /** 40 hex digits. */
  readonly id: string
  readonly host: string
  readonly port: number
  /** Whose replica it is, by id; null for a primary. */
  readonly primary: string | null
  readonly configEpoch: number
  readonly slots: readonly SlotRange[]
  readonly failure?: 'pfail' | 'fail' | null
}

/** A node that was started for the first time. */
export function loneNode(id: string, port: number): NodesFile {
  const alone = { id, host: '', port, primary: null, configEpoch: 0, slots: [] }
  return { myId: id, currentEpoch: 0, lastVoteEpoch: 0, nodes: [alone] }
}

export interface NodesFile {
  readonly myId: string
  readonly currentEpoch: number
  readonly lastVoteEpoch: number
  readonly nodes: readonly SavedNode[]
}
