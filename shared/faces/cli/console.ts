import type { Client } from './client.ts'
import type { Terminal } from './terminal.ts'

/** `toolyard console`: only the link goes to standard output, so that it can be piped. */
export const printSignInLink = async (client: Client, terminal: Terminal, { json }: { json?: boolean }): Promise<number> => {
  try {
    const { url, expiresAt } = await client.operator.signInLink()
    terminal.out(json ? `${JSON.stringify({ url, expiresAt })}\n` : `${url}\n`)
    if (!json) terminal.err(`Open this link in a browser to sign in. It works once, until ${expiresAt.slice(11, 16)} UTC.\n`)
    return 0
  } finally {
    await client.close()
  }
}

/** The console in the banner of a started server. A link that signs in is shown on a terminal only: other output may be a log that others read. */
export const consoleLine = (address: string, code: string | undefined, self: string) =>
  code === undefined
    ? `${address}/console/ ("${self} console" prints a link that signs you in)`
    : `${address}/console/#code=${code} (signs you in once, within ten minutes)`
