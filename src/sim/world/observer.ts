import type { ClientSide } from 'virtual-node/network'
import type { CommandLabels } from '../../run/command-labels.ts'
import type { RunResult } from './request.ts'

/** Findings that are collected only if a request asks for them. */
export type Found = Pick<RunResult, 'choices' | 'traffic' | 'sessions' | 'runTrace' | 'schedule' | 'journeys'>

/** Observes a run without changing it. An observer implements only the hooks that it needs. */
export interface Observer {
  /** Bytes of a command have left a process. */
  leaves?(connection: ClientSide, process: string, node: string, bytes: string): void
  /** Commands have left a process; null stands for a command that is not counted. */
  asks?(connection: ClientSide, process: string, node: string, labels: readonly (string | null)[]): void
  /** A command with the label is executed next. */
  comesTo?(connection: ClientSide, label: string): void
  /** A labelled command was executed; its event is the last one of the history. */
  executes?(connection: ClientSide, process: string, node: string, label: string): void
  /** A reply has reached its process. */
  replies?(connection: ClientSide): void
  /** The request or reply is lost: nothing more arrives in its direction on the connection. */
  loses?(connection: ClientSide, what: 'request' | 'reply'): void
  /** A Sentinel publishes an event. */
  sentinelSays?(sentinel: string, type: string, message: string): void
  /** An event of the world is over. */
  look?(): void
  /** `labels`: with the names that scripts have at the end of the run. */
  found(labels: CommandLabels): Partial<Found>
}
