import { randomUUIDv7 } from 'node:crypto'
import { z } from '#kit'
import { networkOf } from '../admin/wrong-tokens.ts'
import type { Clock, OAuthClient, Store } from '../ports/index.ts'
import type { Client } from './client.ts'
import { createDocuments, isDocument } from './documents.ts'
import { isSame, digest, newText } from './secrets.ts'
import { maxRedirects, requireRedirectUri } from './redirects.ts'
import { Refusal } from './refusal.ts'
import type { KnownClient } from './settings.ts'

const day = 86_400_000
const unusedMs = day
const usedMs = 90 * day
/**
 * Clients that have registered and are kept. Those that nobody uses are gone after a day, or earlier where others need
 * the room.
 */
const maxClients = 10_000
/** Registrations of one network in an hour, and of all. In a day, one network has a twentieth of the room at most. */
const perHour = { network: 20, all: 1_000 }

const metadata = () =>
  z.looseObject({
    client_name: z.string().min(1).max(128).optional(),
    redirect_uris: z.array(z.string()).min(1).max(maxRedirects),
    token_endpoint_auth_method: z.string().max(64).optional(),
    grant_types: z.array(z.string().max(64)).max(10).optional(),
    response_types: z.array(z.string().max(64)).max(10).optional(),
  })

type ClientsDependencies = Parameters<typeof createDocuments>[0] & {
  store: Pick<Store, 'oauthClients'>
  clock: Pick<Clock, 'now'>
  /** Clients that the operator knows. */
  known: readonly KnownClient[]
}

const methods = ['none', 'client_secret_basic', 'client_secret_post']

/** Counts registrations in the present hour. */
const createCounter = (clock: Pick<Clock, 'now'>) => {
  let hour = 0
  let counts = new Map<string, number>()
  return (address: string) => {
    const present = Math.floor(clock.now() / 3_600_000)
    if (present !== hour) [hour, counts] = [present, new Map()]
    const all = (counts.get('') ?? 0) + 1
    const network = networkOf(address)
    const own = (counts.get(network) ?? 0) + 1
    if (all > perHour.all || own > perHour.network) return false
    counts.set('', all).set(network, own)
    return true
  }
}

const viewOf = ({ id, name, redirectUris, createdAt }: OAuthClient, method: string, secret: string | undefined) => ({
  client_id: id,
  client_id_issued_at: Math.floor(createdAt / 1000),
  ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
  ...(name === null ? {} : { client_name: name }),
  redirect_uris: redirectUris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: method,
})

/** Clients: those that the operator knows, those with a document, and those that registered themselves. */
export const createClients = ({ store, clock, known, unauthenticated }: ClientsDependencies) => {
  const documents = createDocuments({ unauthenticated, clock })
  const admit = createCounter(clock)
  let schema: ReturnType<typeof metadata> | undefined

  const stored = async (id: string): Promise<Client | undefined> => {
    const own = known.find(({ client_id }) => client_id === id)
    if (own)
      return {
        id,
        name: own.client_name,
        isKnown: true,
        host: null,
        redirectUris: own.redirect_uris,
        secretHash: own.client_secret === undefined ? null : digest(own.client_secret),
      }
    const row = await store.oauthClients.get(id, clock.now())
    if (!row) return undefined
    const { name, redirectUris, secretHash } = row
    return { id, name, isKnown: false, host: null, redirectUris, secretHash }
  }
  const unknown = () =>
    new Refusal(
      'invalid_client',
      'This server does not know the client. It may have been unused for too long: register it again.',
    )

  return {
    /** @throws Refusal `invalid_client` */
    async find(id: string): Promise<Client> {
      const client = isDocument(id) ? await documents.client(id) : await stored(id)
      if (!client) throw unknown()
      return client
    },

    /**
     * Checks that a request for tokens is of the client it names. Clients with a document have no secret, so it is not
     * read again.
     * @throws Refusal `invalid_client`
     */
    async authenticate(id: string, secret: string | undefined): Promise<void> {
      if (isDocument(id)) return
      const client = await stored(id)
      if (!client) throw unknown()
      if (client.secretHash === null) return
      if (secret === undefined || !isSame(digest(secret), client.secretHash))
        throw new Refusal('invalid_client', 'The secret of the client is missing or wrong.')
    },

    /** Keeps a client that was used. */
    used: (id: string) => store.oauthClients.extend(id, clock.now() + usedMs),

    /**
     * Registers a client (RFC 7591). What it says of itself is not verified, and it is not asked for more than it needs.
     * @throws Refusal `invalid_client_metadata`, `invalid_redirect_uri`, `temporarily_unavailable`
     */
    async register(body: unknown, address: string) {
      const parsed = (schema ??= metadata()).safeParse(body)
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        throw new Refusal(
          'invalid_client_metadata',
          `${issue?.path.join('.') || 'The request'} is not usable: ${issue?.message}.`,
        )
      }
      const { client_name: name = null, redirect_uris: redirectUris, token_endpoint_auth_method } = parsed.data
      redirectUris.forEach(requireRedirectUri)
      const method = methods.includes(token_endpoint_auth_method ?? '') ? token_endpoint_auth_method! : 'none'
      if (!admit(address))
        throw new Refusal('temporarily_unavailable', 'Too many clients were registered. Try again in an hour.')
      const secret = method === 'none' ? undefined : newText()
      const createdAt = clock.now()
      const client: OAuthClient = {
        id: `cli_${randomUUIDv7()}`,
        name,
        redirectUris,
        secretHash: secret === undefined ? null : digest(secret),
        createdAt,
        expiresAt: createdAt + unusedMs,
      }
      await store.oauthClients.add(client, maxClients)
      return viewOf(client, method, secret)
    },
  }
}
export type Clients = ReturnType<typeof createClients>
