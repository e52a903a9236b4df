import type { Client } from './client.ts'
import type { Terminal } from './terminal.ts'

/** `toolyard openapi`: the OpenAPI document of the running server, otherwise of this version. */
export const openapi = async (client: Client, terminal: Terminal): Promise<number> => {
  try {
    terminal.out(`${JSON.stringify(await client.openapi(), null, 2)}\n`)
    return 0
  } finally {
    await client.close()
  }
}
