import { isProgram } from '../../contract/api/program-name.ts'
import type { SinkKind } from '../../contract/api/sink.ts'
import { isMadeName } from '../made/made-scenario.ts'

/** A scenario: the path to load it by, and the name that people and tokens know it by. */
export interface ScenarioRef {
  readonly scenarioPath: string
  readonly scenarioName: string
}

/** `runMs`: what a run of it costs, in milliseconds of the real machine. */
export interface CostedScenario extends ScenarioRef {
  readonly runMs: number
}

/** An implementation in the same way, and the kind of sink that its effects reach. */
export interface LayerRef {
  readonly implementationPath: string
  readonly implementationName: string
  readonly sink: SinkKind
}

/** One implementation under one scenario. */
export interface PairRef extends ScenarioRef, LayerRef {}

/** A pair as results and tokens have it: by names, which mean the same on every machine. */
export interface PairName {
  readonly implementation: string
  readonly scenario: string
  readonly sink: SinkKind
}

export function pairName({ implementationName, scenarioName, sink }: PairRef): PairName {
  return { implementation: implementationName, scenario: scenarioName, sink }
}

/**
 * Whether a name is the path of a file or a program of the user's, as opposed to an id of the
 * catalogue or the name of a scenario without a file.
 */
export function isPath(name: string): boolean {
  return isProgram(name) || (/[/\\]|\.[cm]?[jt]s$/.test(name) && !isMadeName(name))
}
