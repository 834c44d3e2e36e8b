/**
 * The environment of a measured child: without `NODE_PATH`, which package runners such as `tsx`
 * set. With `NODE_PATH`, a program finds packages that it would not find when a user starts it.
 * With `NODE_PATH`, an earlier commit loaded `supports-color` again in each process of each run,
 * and took five times as long.
 */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_PATH: _, ...rest } = process.env
  return rest
}
