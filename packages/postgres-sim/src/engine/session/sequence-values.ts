import type { Backend } from '../backend.ts'
import type { Sequence } from '../catalog/relations.ts'
import { SqlError } from '../sql-error.ts'

/** nextval() and related functions, with the values that this session has drawn. */
export class SequenceValues {
  private readonly backend: Backend
  private readonly currentValues = new Map<string, bigint>()
  private lastSequence: string | null = null

  constructor(backend: Backend) {
    this.backend = backend
  }

  private sequence(name: string): Sequence {
    const found = this.backend.database.catalog.find(this.backend, name)
    if (!found) throw new SqlError('42P01', `relation "${name}" does not exist`)
    if (found.kind !== 'sequence') throw new SqlError('42809', `"${name}" is not a sequence`)
    return found
  }

  /** Executes nextval(). Sequences are not transactional: a rollback does not return the value. */
  next(name: string): bigint {
    const value = this.sequence(name).next()
    this.currentValues.set(name, value)
    this.lastSequence = name
    return value
  }

  current(name: string): bigint {
    this.sequence(name)
    const value = this.currentValues.get(name)
    if (value === undefined)
      throw new SqlError('55000', `currval of sequence "${name}" is not yet defined in this session`)
    return value
  }

  latest(): bigint {
    if (this.lastSequence === null) throw new SqlError('55000', 'lastval is not yet defined in this session')
    return this.current(this.lastSequence)
  }

  /** Executes DISCARD SEQUENCES. */
  forget(): void {
    this.currentValues.clear()
    this.lastSequence = null
  }

  set(name: string, value: bigint, called: boolean): bigint {
    const sequence = this.sequence(name)
    if (value < sequence.least || value > sequence.most) {
      throw new SqlError(
        '22003',
        `setval: value ${value} is out of bounds for sequence "${name}" (${sequence.least}..${sequence.most})`,
      )
    }
    sequence.set(value, called)
    if (called) {
      this.currentValues.set(name, value)
      this.lastSequence = name
    }
    return value
  }
}
