import type * as z from 'zod'
import type { ProviderRequest } from './request.ts'

export type ConnectionType = {
  id: 'api-key' | 'key-token' | 'oauth'
  title: string
  purpose: string
  recommended?: boolean
  /** Secrets the owner gives (or, for oauth, that we obtain). Every field described. */
  secrets: z.ZodObject
  /** A free request that proves the credential; absent where every request costs something. */
  test?: ProviderRequest
  /** Reads account id and name from the reply of `test`. */
  identify?(reply: unknown): { accountId: string; accountName: string }
  /** Authorize address for a token the user copies (key-token), its query parameters as templates of {appName} and {key}. */
  authorize?: { path: string; params: { [name: string]: string } }
  /** Takes the credential back at the provider; used only when the owner asks for it. */
  revoke?: ProviderRequest
  /** Name of the secret that names our app at the provider; limits `per: 'app'` are shared by it. */
  appKey?: string
  /** Where the owner finds the values. */
  help?: string
}
