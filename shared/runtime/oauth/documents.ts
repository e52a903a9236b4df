import { LRUCache } from 'lru-cache'
import { isFailure, z } from '#kit'
import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { Clock } from '../ports/index.ts'
import type { Client } from './client.ts'
import { maxRedirects, requireRedirectUri } from './redirects.ts'
import { Refusal } from './refusal.ts'

const keptMs = 5 * 60_000
const answerMs = 5_000
const maxBytes = 32 * 1024
const maxCached = 200

/** Whether a client is named by the address of its description. */
export const isDocument = (id: string): boolean => /^https?:\/\//i.test(id)

/**
 * An address that only one text names: with a path, and nothing that a parser would change. The egress rules see to it
 * that it is https.
 * @throws Refusal `invalid_client`
 */
const requireAddress = (id: string): URL => {
  const refuse = (why: string) => new Refusal('invalid_client', `The client id "${id.slice(0, 100)}" ${why}.`)
  if (id.length > 512 || !URL.canParse(id)) throw refuse('is not an address')
  const url = new URL(id)
  if (url.pathname === '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.href !== id)
    throw refuse(
      'must be an address with a path, without query, fragment, user name or "..", written as a browser shows it',
    )
  return url
}

const document = () =>
  z.looseObject({
    client_id: z.string(),
    client_name: z.string().min(1).max(128).optional(),
    redirect_uris: z.array(z.string()).min(1).max(maxRedirects),
    token_endpoint_auth_method: z.string().optional(),
  })

type DocumentsDependencies = { unauthenticated: Pick<UnauthenticatedClient, 'getClient'>; clock: Pick<Clock, 'now'> }

/**
 * Clients that are named by the address of a document about them. Whoever may write at that address vouches for them.
 * Read under the egress rules: never from a private network, not even from origins that an operator lists for other
 * purposes, without redirects, a few seconds and kilobytes at most.
 */
export const createDocuments = ({ unauthenticated, clock }: DocumentsDependencies) => {
  const cached = new LRUCache<string, { client: Client; until: number }>({
    maxSize: maxCached,
    sizeCalculation: () => 1,
  })
  let schema: ReturnType<typeof document> | undefined

  const read = async (id: string): Promise<unknown> => {
    const refuse = (why: string) =>
      new Refusal('invalid_client', `The description of this client at ${id.slice(0, 100)} ${why}.`)
    // The failure may say something about this server's network, which is nothing for the client.
    const reply = await unauthenticated.getClient(id, maxBytes, AbortSignal.timeout(answerMs)).catch((thrown) => {
      if (isFailure(thrown)) throw refuse('could not be read')
      throw thrown
    })
    if (reply.status !== 200) throw refuse(`was answered with ${reply.status}`)
    if (!reply.json) throw refuse('is not JSON')
    return reply.body
  }

  return {
    /** @throws Refusal `invalid_client`, `invalid_redirect_uri` */
    async client(id: string): Promise<Client> {
      const { host } = requireAddress(id)
      const hit = cached.get(id)
      if (hit && hit.until > clock.now()) return hit.client
      const parsed = (schema ??= document()).safeParse(await read(id))
      const refuse = (why: string) => new Refusal('invalid_client', `The document at ${id.slice(0, 100)} ${why}.`)
      if (!parsed.success)
        throw refuse(
          `is not usable: ${parsed.error.issues[0]?.path.join('.') || 'it'} ${parsed.error.issues[0]?.message ?? ''}`,
        )
      const { client_id, client_name, redirect_uris, token_endpoint_auth_method = 'none' } = parsed.data
      if (client_id !== id) throw refuse('describes another client')
      if ('client_secret' in parsed.data) throw refuse('holds a secret, which everybody can read')
      if (token_endpoint_auth_method !== 'none')
        throw refuse(`asks for "${token_endpoint_auth_method.slice(0, 40)}"; here such clients use "none" with PKCE`)
      redirect_uris.forEach(requireRedirectUri)
      const client: Client = {
        id,
        name: client_name ?? null,
        isKnown: false,
        host,
        redirectUris: redirect_uris,
        secretHash: null,
      }
      cached.set(id, { client, until: clock.now() + keptMs })
      return client
    },
  }
}
