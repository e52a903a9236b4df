import type { CommandParts } from '../../shared/faces/cli/index.ts'
import { createInProcess } from '../../shared/faces/http/index.ts'
import type { InProcess } from '../../shared/faces/http/index.ts'
import type { Pack } from '../../shared/pack.ts'

const opened = new WeakMap<Pack, Promise<InProcess>>()
const quiet = new AbortController().signal

const open = (pack: Pack, signal: AbortSignal) =>
  createInProcess({ pack, caller: { tenant: 'default' }, version: '1.2.3', signal })

/** All command lines share one HTTP API per pack; a command line with its own signal gets its own API. */
const openOnce = (pack: Pack) => {
  const inProcess = opened.get(pack) ?? open(pack, quiet)
  opened.set(pack, inProcess)
  return inProcess
}

/**
 * The parts of a command line that opens the given pack because no server runs, and that cannot start anything else.
 */
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
