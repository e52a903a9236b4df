import { isAbsolute, relative, sep } from 'node:path'

type Started = {
  /** What Node was told to run, as it was told: a link in `.bin` is not followed. */
  script: string
  execPath: string
  cwd: string
  env: Record<string, string | undefined>
}

const isWithin = (folder: string, place: string) => {
  const way = relative(folder, place)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

const quoted = (path: string) => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

/**
 * The words that start this command again from where the person stands: by npx, as a script of the checkout, as a program on the PATH, or
 * by Node and the path. For hints, so that what they print can be run as it is.
 */
export const invocationOf = ({ script, execPath, cwd, env }: Started): string => {
  if (env['npm_command'] === 'exec') return 'npx toolyard'
  if (env['npm_command'] === 'run' || env['npm_command'] === 'run-script' || env['npm_command'] === 'start') {
    // A script of another package, which has this one as a dependency.
    return env['npm_package_name'] === 'toolyard' ? 'npm run toolyard --' : 'npx toolyard'
  }
  const modules = script.lastIndexOf(`${sep}node_modules${sep}`)
  // npx looks for the package in the folder it is called in and those above.
  if (modules >= 0 && isWithin(script.slice(0, modules), cwd)) return 'npx toolyard'
  if (modules < 0 && !script.endsWith('.js')) return 'toolyard'
  const near = (path: string) => quoted(isWithin(cwd, path) ? relative(cwd, path) : path)
  // The Node of a package is on the PATH of npm's scripts only.
  return `${execPath.includes(`${sep}node_modules${sep}`) ? near(execPath) : 'node'} ${near(script)}`
}
