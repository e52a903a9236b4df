import type { healthOperations } from '../../../api/operations/health.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const healthHandlers = ({ pack, addressOf, document }: HttpDependencies): Handlers<typeof healthOperations> => ({
  live: async () => ({ status: 'live' as const }),
  ready: async () => {
    await pack.ready()
    return { status: 'ready' as const }
  },
  // Importers need a server; a relative one is resolved against the address of the document.
  getOpenApi: async (request) => ({ ...(await document()), servers: [{ url: addressOf(request) || '/' }] }),
})
