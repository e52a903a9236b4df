import { failField } from '#kit'
import type { SealedSecrets, Vault } from '../../ports/index.ts'
import { readSecret } from '../subscriptions/input.ts'

export type Rotation = {
  /** The new secret (`whsec_…`); absent: one is generated and shown once. */
  secret?: string | undefined
  /** How long the previous secret is used as well, in ms; the default is one day. */
  overlapMs?: number | undefined
}

const day = 24 * 3_600_000
export const defaultOverlapMs = day
export const maxOverlapMs = 30 * day

/** Replaces a signing secret. Until the overlap ends, bodies are signed with both, as Standard Webhooks allows. */
export const rotateSecret = (
  vault: Vault,
  scope: { tenant: string; owner: string },
  sealed: SealedSecrets,
  rotation: Rotation,
  now: number,
) => {
  const { overlapMs = defaultOverlapMs } = rotation
  if (!Number.isInteger(overlapMs) || overlapMs < 0 || overlapMs > maxOverlapMs)
    throw failField('overlapMs', `overlapMs is 0 to ${maxOverlapMs} (30 days), in ms.`)
  const { secret, isGenerated } = readSecret(rotation.secret, 'secret')
  const { secret: previous } = vault.open(scope, sealed)
  if (secret === previous)
    throw failField('secret', 'This secret is already in use. Give another one, or leave it out to have one generated.')
  const hasPrevious = overlapMs > 0 && previous !== undefined
  return {
    changes: {
      secrets: vault.seal(scope, { secret, ...(hasPrevious ? { previous } : {}) }),
      previousUntil: hasPrevious ? now + overlapMs : null,
    },
    shown: isGenerated ? secret : undefined,
  }
}
