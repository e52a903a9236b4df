import { randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { sharedModel } from './hook-addresses.ts'
import type { HookSecrets } from './hook-secrets.ts'

const newRow = (
  { tenant, connection, integration }: ConnectionRef,
  model: string,
  prefix: string,
  at: number,
): Hook => {
  const id = randomBytes(24).toString('base64url')
  return {
    tenant,
    id,
    integration,
    connection,
    model,
    callbackUrl: prefix + id,
    providerId: null,
    state: 'wanted',
    stateReason: null,
    stateAt: at,
    failures: 0,
    lastDeliveryAt: null,
    suspectSince: null,
    refused: 0,
    refusedSince: null,
    refusedAt: null,
    refusedReason: null,
    secrets: {},
    types: [],
    createdAt: at,
    updatedAt: at,
  }
}

type DraftDependencies = {
  now(): number
  secrets: Pick<HookSecrets, 'first'>
  prefixOf(integration: string): string | undefined
  addressOf(hook: Hook): string
  hasOwnSecret(ref: ConnectionRef): boolean
}

/** Makes the row of a new hook; nothing is stored. */
export const createDrafts =
  ({ now, secrets, prefixOf, addressOf, hasOwnSecret }: DraftDependencies) =>
  (ref: ConnectionRef, model: string): Hook => {
    const prefix = prefixOf(ref.integration)
    if (prefix === undefined) throw fail('internal', 'A webhook needs a public address.')
    const drafted = newRow(ref, model, prefix, now())
    const row = model === sharedModel ? drafted : { ...drafted, callbackUrl: addressOf(drafted) }
    return hasOwnSecret(ref) ? { ...row, secrets: secrets.first(row) } : row
  }
