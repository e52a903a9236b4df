import { fillPath, isAbsent, isInvalidInput, valueAt } from '#kit'
import type { FetchedDelivery } from '#kit'
import type { ProviderSessions } from '../provider-session.ts'
import { noConnection } from '../sync/hook-cache.ts'
import { readByType } from './other-bodies.ts'
import type { Proof } from './prove.ts'
import type { Signed } from './signature.ts'
import type { Addressed } from './delivery.ts'

const maxIdLength = 256
const forged: Proof = { isGenuine: false }

/**
 * Reads what a delivery names from the provider, with the credential of the hook's connection: nothing in the delivery
 * itself is believed. @throws Failure when the provider cannot be asked now
 */
export const fetchBack = async (
  sessions: ProviderSessions,
  { fetched }: FetchedDelivery,
  { hook: { tenant, connection, integration }, loaded }: Addressed,
  { headers, body }: Signed,
): Promise<Proof> => {
  const read = readByType(headers['content-type'], body, loaded.wire.deliveries)
  const id = read && 'value' in read ? valueAt(read.value, fetched.id) : undefined
  const isId = (typeof id === 'string' && id.length <= maxIdLength) || Number.isSafeInteger(id)
  if (!isId || connection === noConnection) return forged
  try {
    const path = fillPath(fetched.path, { id: id as string | number })
    const { value } = await sessions.use({ tenant, connection, integration }, 'read', (ctx) =>
      ctx.send({ method: 'GET', path }),
    )
    return { isGenuine: true, content: { value } }
  } catch (thrown) {
    // There is no such thing, or the text is no id.
    if (isAbsent(thrown) || isInvalidInput(thrown)) return forged
    throw thrown
  }
}
