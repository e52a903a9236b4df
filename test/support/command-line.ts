/** Command lines that run in this process. */
import { tmpdir } from 'node:os'
import { runCommand } from '../../shared/faces/cli/index.ts'
import type { Terminal } from '../../shared/faces/cli/index.ts'
import type { Pack } from '../../shared/pack.ts'
import { partsOver } from './command-parts.ts'
import type { HttpWorld } from './http-world.ts'

export type LineOptions = Partial<Omit<Terminal, 'out' | 'err' | 'readStdin'>> & {
  /** What it opens when no server runs. Absent: it cannot open any. */
  pack?: Pack | undefined
  env?: Record<string, string>
  cwd?: string
  stdin?: string
}

/** A command line that is still running: what it has printed so far, and its end. */
export type RunningLine = { out: string; err: string; code: Promise<number>; interrupt(): void }

export const beginLine = (argv: string[], options: LineOptions = {}): RunningLine => {
  const { pack, env, cwd = tmpdir(), stdin = '', signal, ...terminal } = options
  const interruption = new AbortController()
  const line = { out: '', err: '' }
  const code = runCommand({
    argv,
    env: { TOOLYARD_DATA: '/nowhere/toolyard', ...env },
    cwd,
    version: '1.2.3',
    terminal: {
      out: (text) => void (line.out += text),
      err: (text) => void (line.err += text),
      readStdin: async () => stdin,
      width: 120,
      signal: signal ?? interruption.signal,
      ...terminal,
    },
    ...partsOver(pack, signal),
  })
  return Object.assign(line, { code, interrupt: () => interruption.abort() })
}

const endOf = async (line: RunningLine) => {
  const code = await line.code
  return { code, out: line.out, err: line.err }
}
export const runLine = (argv: string[], options?: LineOptions) => endOf(beginLine(argv, options))

export type Place = 'embedded' | 'remote'

/** Command lines over the pack itself or over its server. */
export const linesOver = ({ pack, token, listen }: HttpWorld, defaults: LineOptions = {}) => {
  const begin = async (argv: string[], place: Place = 'embedded', options: LineOptions = {}) => {
    const remote = { TOOLYARD_URL: await listen(), TOOLYARD_TOKEN: token }
    const env = { ...(place === 'remote' ? remote : {}), ...defaults.env, ...options.env }
    return beginLine(argv, { pack, ...defaults, ...options, env })
  }
  const command = async (argv: string[], place?: Place, options?: LineOptions) =>
    endOf(await begin(argv, place, options))
  const json = async (argv: string[], place?: Place, options?: LineOptions) =>
    JSON.parse((await command([...argv, '--json'], place, options)).out)
  return { begin, command, json }
}
