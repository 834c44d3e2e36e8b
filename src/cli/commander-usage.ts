import { CommanderError } from 'commander'
import { launcher } from '../contract/results/launcher.ts'

/** The culprit and the remedy of an error of Commander; null for any other error. */
export function usageOfCommander(error: unknown): { culprit: string; remedy: string } | null {
  if (!(error instanceof CommanderError)) return null
  const [, quoted = error.message] = /'([^']*)'/.exec(error.message) ?? []
  const [, near] = /Did you mean (?:one of )?(.*)\?\)/.exec(error.message) ?? []
  const help = `see \`${launcher()} --help\``
  switch (error.code) {
    case 'commander.unknownOption':
      return {
        culprit: `option ${quoted}`,
        remedy: near === undefined ? `unknown; ${help}` : `did you mean ${near}?`,
      }
    case 'commander.optionMissingArgument':
      return { culprit: `option ${quoted}`, remedy: 'needs a value' }
    case 'commander.missingArgument':
      return { culprit: `argument <${quoted}>`, remedy: `missing; ${help}` }
    default:
      return { culprit: error.message.replace(/^error: /, ''), remedy: help }
  }
}
