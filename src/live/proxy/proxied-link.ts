/** A link through a proxy: a listener of its own on this machine, with one address behind it. */
import type { FlowDirection } from '../../run/actions.ts'
import type { LiveLink } from '../host/link.ts'

/** One that goes through a link. */
export interface ProxiedConnection {
  /** The port of this machine that the process has it from. */
  readonly from: number
  /** The port of this machine that goes on to the node; 0 before it has answered. */
  readonly to: number
  /** As of a link, for this one alone. */
  resetNext(direction: FlowDirection): Promise<() => Promise<void>>
  /**
   * What is sent that way from now on is lost, with what is on its way: an end and a reset, too.
   * Neither end is told.
   */
  forget(direction: FlowDirection): void
}

export interface ProxiedLink extends LiveLink {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number
  /**
   * The next bytes that way are swallowed, and their connection is reset. It is so for each
   * connection until it is taken back by what this answers.
   */
  resetNext(direction: FlowDirection): Promise<() => Promise<void>>
  /**
   * Those that are open. Absent where what holds for one holds for all, and for those that come.
   */
  readonly connections?: readonly ProxiedConnection[]
  /**
   * A connection's end, however it came about, goes on to the node once that has settled. Absent
   * where nothing holds it back.
   */
  holdEnds?(until: (connection: ProxiedConnection) => Promise<void>): void
  /** Closes every connection; the next one is taken. */
  cut(): Promise<void>
  /**
   * Closes every connection and refuses new ones until `enable`, which listens on the same port.
   */
  disable(): Promise<void>
  enable(): Promise<void>
  /** Nothing listens, and no connection is open, when it resolves. */
  close(): Promise<void>
}
