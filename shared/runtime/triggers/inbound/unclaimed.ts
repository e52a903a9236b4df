import { hash } from 'node:crypto'
import type { Event } from '#kit'
import { createChunkSealer, newFileKey, openChunk } from '../../files/cipher.ts'
import type { UnclaimedEvent, Vault } from '../../ports/index.ts'

/** The content that is stored of an event until its account is connected. */
export type UnclaimedContent = { event: Event; correlation: string | undefined }
export type NewUnclaimed = UnclaimedContent & Pick<UnclaimedEvent, 'tenant' | 'integration' | 'account' | 'hook'>

/** How long an event waits for its account, and how many events wait per app. */
export const unclaimedMs = 10 * 60_000
export const maxUnclaimed = 1000

const ownerOf = (id: string) => `unclaimed:${id}`
const placeOf = ({ tenant, id }: Pick<UnclaimedEvent, 'tenant' | 'id'>) => ({ tenant, id: ownerOf(id), number: 0 })

/** Seals an event into its row, under a key of its own. */
export const sealUnclaimed = (
  vault: Pick<Vault, 'seal'>,
  unclaimedEvent: NewUnclaimed,
  now: number,
): UnclaimedEvent => {
  const { tenant, integration, account, hook, event, correlation } = unclaimedEvent
  const id = hash('sha256', JSON.stringify([integration, account, event.id]))
  const key = newFileKey()
  const plain = Buffer.from(JSON.stringify({ event, correlation } satisfies UnclaimedContent))
  return {
    tenant,
    id,
    integration,
    account,
    event: event.id,
    hook,
    secrets: vault.seal({ tenant, owner: ownerOf(id) }, { key: key.toString('base64') }),
    content: createChunkSealer(key, plain.length)(placeOf({ tenant, id }), plain),
    receivedAt: now,
    expiresAt: now + unclaimedMs,
  }
}

/** The JSON of a row's content. @throws Failure `not_connected`, `unavailable` when it can no longer be decrypted */
export const openUnclaimed = (
  vault: Pick<Vault, 'open'>,
  { tenant, id, secrets, content }: Pick<UnclaimedEvent, 'tenant' | 'id' | 'secrets' | 'content'>,
): string => {
  const { key = '' } = vault.open({ tenant, owner: ownerOf(id) }, secrets)
  return openChunk(Buffer.from(key, 'base64'), placeOf({ tenant, id }), content).toString()
}
