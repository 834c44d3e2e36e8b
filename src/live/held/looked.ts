const lookEveryMs = 2

/**
 * Looks until it is so; false where it is not within that time. A server that is looked at may be
 * down, or standing still: a look that fails, or has no answer by then, has not seen it.
 */
export async function looked(look: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const untilMs = performance.now() + withinMs
  for (let leftMs = withinMs; leftMs > 0; leftMs = untilMs - performance.now()) {
    if (await seen(look, leftMs)) return true
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  return false
}

async function seen(look: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, withinMs, false)
  })
  try {
    return await Promise.race([look(), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
