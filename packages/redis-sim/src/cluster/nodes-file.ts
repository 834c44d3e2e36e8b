/**
 * A node's configuration file (nodes.conf in real Redis): initially set by an operator, then
 * updated by the node. It survives the process.
 */

/** First and last slot, both inclusive. */
export type SlotRange = readonly [number, number]

export interface SavedNode {
  /** 40 hex digits. */
  readonly id: string
  readonly host: string
  readonly port: number
  /** Id of the node's primary; null if the node is a primary. */
  readonly primary: string | null
  readonly configEpoch: number
  readonly slots: readonly SlotRange[]
  readonly failure?: 'pfail' | 'fail' | null
}

/** The file of a node that starts for the first time. */
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
