import { isProgram } from '../../contract/api/program-name.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import { isMadeName } from '../made/made-scenario.ts'

/** A scenario: the path by which it is loaded, and its name for reports and tokens. */
export interface ScenarioRef {
  readonly scenarioPath: string
  readonly scenarioName: string
}

/** `runMs`: cost of a run, in milliseconds of the real machine. */
export interface CostedScenario extends ScenarioRef {
  readonly runMs: number
}

/** An implementation with its path and name, and the kind of its sink. */
export interface LayerRef {
  readonly implementationPath: string
  readonly implementationName: string
  readonly sink: SinkKind
}

/** One implementation under one scenario. */
export interface PairRef extends ScenarioRef, LayerRef {}

/** A pair in results and tokens. It consists of names, which mean the same on every machine. */
export interface PairName {
  readonly implementation: string
  readonly scenario: string
  readonly sink: SinkKind
}

export function pairName({ implementationName, scenarioName, sink }: PairRef): PairName {
  return { implementation: implementationName, scenario: scenarioName, sink }
}

/**
 * True if the name is the path of a user's file or program, and not an id of the catalogue or the
 * name of a scenario without a file.
 */
export function isPath(name: string): boolean {
  return isProgram(name) || (/[/\\]|\.[cm]?[jt]s$/.test(name) && !isMadeName(name))
}
