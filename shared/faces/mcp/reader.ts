import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'

/** Who reads what is stored, and at the server of which integration; undefined: of all. */
export type Reader = { caller: Caller; integration?: string | undefined }

/**
 * The caller as it reads events and files. At the server of one integration it is limited to the connections of that
 * one, since its token may be good there alone; they are looked up each time, so that those connected later count.
 */
export const readerIn = async (pack: Pack, { caller, integration }: Reader): Promise<Caller> => {
  if (integration === undefined) return caller
  const connections = (await pack.toolConnections.list(caller)).filter((own) => own.integration === integration)
  return { ...caller, connections: connections.map(({ id }) => id) }
}
