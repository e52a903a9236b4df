import { isAbsolute, relative, sep } from 'node:path'

type ProcessFacts = {
  /** The script as passed to Node, with links in `.bin` not resolved. */
  script: string
  execPath: string
  cwd: string
  env: Record<string, string | undefined>
}

const isWithin = (folder: string, path: string) => {
  const relativePath = relative(folder, path)
  return relativePath === '' || (!relativePath.startsWith('..') && !isAbsolute(relativePath))
}

/** Quotes a word for a shell: in single quotes, where nothing is expanded, unless it needs none. */
export const quoted = (word: string) => (/^[\w./@+:=%-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/**
 * How to run this command again from the working directory: by npx, as a script of the checkout, as a program on the
 * PATH, or by Node and the path. Used in hints, so that they can be run as printed.
 */
export const invocationOf = ({ script, execPath, cwd, env }: ProcessFacts): string => {
  if (env['npm_command'] === 'exec') return 'npx toolyard'
  if (env['npm_command'] === 'run' || env['npm_command'] === 'run-script' || env['npm_command'] === 'start') {
    // Another package, which depends on this one, may have run the script.
    return env['npm_package_name'] === 'toolyard' ? 'npm run toolyard --' : 'npx toolyard'
  }
  const modules = script.lastIndexOf(`${sep}node_modules${sep}`)
  // npx finds the package in the working directory and its parents.
  if (modules >= 0 && isWithin(script.slice(0, modules), cwd)) return 'npx toolyard'
  if (modules < 0 && !script.endsWith('.js')) return 'toolyard'
  const near = (path: string) => quoted(isWithin(cwd, path) ? relative(cwd, path) : path)
  // The Node binary of a package is on the PATH only in npm's scripts.
  return `${execPath.includes(`${sep}node_modules${sep}`) ? near(execPath) : 'node'} ${near(script)}`
}
