import { hash } from 'node:crypto'
import type { Json } from '#kit'
import type { Store } from '../../ports/index.ts'
import type { ConnectionRef } from '../provider-session.ts'

/** Keeps what the provider listed and nobody could read, each once. */
export const keepUndecodable = async (
  { undecodable }: Pick<Store, 'undecodable'>,
  receivedAt: number,
  { tenant, integration, connection }: ConnectionRef,
  facts: Json[],
) => {
  for (const fact of facts) {
    const raw = Buffer.from(JSON.stringify(fact))
    await undecodable.add({
      tenant,
      id: hash('sha256', raw),
      integration,
      connection,
      hook: '',
      receivedAt,
      reason: 'The history holds a fact that cannot be read.',
      raw,
    })
  }
}
