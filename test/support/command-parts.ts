import type { CommandParts } from '../../shared/faces/cli/index.ts'
import { createInProcess } from '../../shared/faces/http/index.ts'
import type { InProcess } from '../../shared/faces/http/index.ts'
import type { Pack } from '../../shared/pack.ts'

const opened = new WeakMap<Pack, Promise<InProcess>>()
const quiet = new AbortController().signal

const open = (pack: Pack, signal: AbortSignal) =>
  createInProcess({ pack, caller: { tenant: 'default' }, version: '1.2.3', signal })

/** One HTTP API per pack serves every command line; with a signal of its own a command line gets one of its own. */
const openOnce = (pack: Pack) => {
  const inProcess = opened.get(pack) ?? open(pack, quiet)
  opened.set(pack, inProcess)
  return inProcess
}

/** What runs beside a command line: the pack it opens where no server runs, and nothing else. */
export const partsOver = (
  pack?: Pack,
  signal?: AbortSignal,
): Pick<CommandParts, 'serve' | 'dev' | 'mcp' | 'demo' | 'openInProcess'> => {
  const notHere = () => Promise.reject(new Error('not in this test'))
  return {
    serve: async () => 0,
    dev: notHere,
    mcp: notHere,
    demo: notHere,
    openInProcess: async () =>
      pack ? { ...(await (signal ? open(pack, signal) : openOnce(pack))), close: async () => {} } : notHere(),
  }
}
