import { clientHandlers } from './client-handlers.ts'
import { pageHandlers } from './page-handlers.ts'
import type { OAuthRoutes } from './parts.ts'

export const oauthHandlers = async (parts: OAuthRoutes) => {
  const oauth = await parts.oauth.load()
  return { ...clientHandlers(parts, oauth), ...pageHandlers(parts, oauth) }
}
