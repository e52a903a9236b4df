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

export const runLine = async (argv: string[], options: LineOptions = {}) => {
  const { pack, env, cwd = tmpdir(), stdin = '', signal, ...terminal } = options
  const printed = { out: '', err: '' }
  const code = await runCommand({
    argv,
    env: { TOOLYARD_DATA: '/nowhere/toolyard', ...env },
    cwd,
    version: '1.2.3',
    terminal: {
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      readStdin: async () => stdin,
      width: 120,
      signal: signal ?? new AbortController().signal,
      ...terminal,
    },
    ...partsOver(pack, signal),
  })
  return { code, ...printed }
}

export type Place = 'embedded' | 'remote'

/** Command lines over the pack itself or over its server. */
export const linesOver = ({ pack, token, listen }: HttpWorld, defaults: LineOptions = {}) => {
  const run = async (argv: string[], place: Place = 'embedded', options: LineOptions = {}) => {
    const remote = { TOOLYARD_URL: await listen(), TOOLYARD_TOKEN: token }
    const env = { ...(place === 'remote' ? remote : {}), ...defaults.env, ...options.env }
    return runLine(argv, { pack, ...defaults, ...options, env })
  }
  const json = async (argv: string[], place?: Place, options?: LineOptions) =>
    JSON.parse((await run([...argv, '--json'], place, options)).out)
  return { command: run, json }
}
