import type { Timeline } from '../../src/contract/results/timeline.ts'

/** A timeline without events. */
export const emptyTimeline: Timeline = {
  title: 'nothing',
  key: null,
  endUs: 0,
  lanes: [],
  events: [],
  scripts: [],
  messages: [],
  bands: [],
  bars: [],
  keys: [],
  beliefs: [],
  clocks: [],
  folds: [],
  ending: [],
}
