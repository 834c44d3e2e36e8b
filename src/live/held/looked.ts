const lookEveryMs = 2

/**
 * Polls until `look` returns true. Returns false after `withinMs`. A call that fails or does not
 * return in time counts as false, because the server may be down or frozen.
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
