import type { Brand } from '../../../api/resources/brand.ts'
import type { Pack } from '../../../pack.ts'
import type { AddressOf } from '../address.ts'
import type { SessionCookie } from '../session-cookie.ts'

/** What the routes of the authorization server depend on. */
export type OAuthRoutes = {
  pack: Pack
  oauth: NonNullable<Pack['oauth']>
  addressOf: AddressOf
  cookie: SessionCookie
  publicUrl: string | undefined
  brand: Brand
}
