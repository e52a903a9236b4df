import type { CommandParts } from './command.ts'
import type { Configuration } from './configuration.ts'
import { findServer } from './find-client.ts'
import { askServer } from './remote.ts'

/** `toolyard openapi`: the OpenAPI document of the running server, else of this version. */
export const openapi = async (configuration: Configuration, { terminal, version, openHouse }: CommandParts): Promise<number> => {
  const say = (document: object) => terminal.out(`${JSON.stringify(document, null, 2)}\n`)
  const server = await findServer(configuration, { sandbox: false })
  if (server) {
    say(await askServer(server.address, server.token, terminal)<object>('openapi.json'))
    return 0
  }
  const { createHttp } = await import('../http/index.ts')
  const { pack, close } = await openHouse(configuration, { sandbox: false, store: 'memory' })
  try {
    const http = await createHttp({ pack, version, publicUrl: configuration.publicUrl })
    say(http.swagger())
    await http.close()
    return 0
  } finally {
    await close()
  }
}
