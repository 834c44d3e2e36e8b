/** A notice as it is compared: those of its fields that it has. */
export const noteText = (...fields: readonly (string | undefined)[]): string =>
  fields.filter((field) => field !== undefined).join(' ')
