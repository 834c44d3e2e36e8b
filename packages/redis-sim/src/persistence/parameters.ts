/** The parameters of persistence. */
import { oneOf, type Parameter, type Parameters, yesNo } from '../parameter-kinds.ts'

const policies = ['everysec', 'always', 'no'] as const

const appendfsync: Parameter = {
  immutable: false,
  read: (config) => config.appendfsync,
  problem: (value) => (policies.some((policy) => policy === value.toLowerCase()) ? undefined : oneOf(policies)),
  write: (config, value) => {
    config.appendfsync = value.toLowerCase() as (typeof policies)[number]
  },
}

const save: Parameter = {
  immutable: false,
  read: (config) => config.save,
  problem: (value) => (/^(\s*[1-9]\d*\s+\d+)*\s*$/.test(value) ? undefined : 'Invalid save parameters'),
  write: (config, value) => {
    config.save = value.trim().replace(/\s+/g, ' ')
  },
}

export const persistenceParameters: Parameters = { save, appendonly: yesNo('appendonly'), appendfsync }
