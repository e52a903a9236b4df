/** Command lines that run in this process. */
import { tmpdir } from 'node:os'
import { runCommand } from '../../shared/faces/cli/index.ts'
import type { Terminal } from '../../shared/faces/cli/index.ts'
import type { Pack } from '../../shared/pack.ts'
import { partsOver } from './command-parts.ts'

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
