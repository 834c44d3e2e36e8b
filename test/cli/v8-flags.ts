interface V8Flags {
  v8Flags(nodeVersion: string, nodeArguments: readonly string[]): string[]
}

export const { v8Flags }: V8Flags = await import(new URL('../../bin/v8-flags.mjs', import.meta.url).href)
