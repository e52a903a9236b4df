import { fail, nextTurn, toFailureJson } from '#kit'
import type { Json, Outcome } from '#kit'
import type { Intent, SealedSecrets, Vault } from './ports/index.ts'

/** Size in characters from which work on an outcome yields to the event loop. */
export const largeFrom = 512 * 1024

export const unknownOutcome = (runId: string): Outcome => ({
  ok: false,
  failure: toFailureJson(
    fail(
      'outcome_unknown',
      'The server stopped while this was being sent, so it may have happened. Look at the provider before you repeat it (with another key).',
    ),
  ),
  meta: { runId, durationMs: 0, attempts: 1 },
})

/** Converts outcomes to their stored form. A provider's answer may be personal data, so it is sealed like a secret. */
export const outcomesIn = (vault: Pick<Vault, 'seal' | 'open'> | undefined) => {
  const toStored = async (tenant: string, key: string, outcome: Outcome): Promise<Json> => {
    if (!vault) return outcome as unknown as Json
    const text = JSON.stringify(outcome)
    const isLarge = text.length >= largeFrom
    if (isLarge) await nextTurn()
    const sealed = vault.seal({ tenant, owner: `outcome:${key}` }, { outcome: text })
    if (isLarge) await nextTurn()
    return { sealed }
  }
  const fromStored = ({ tenant, key, outcome }: Intent): Outcome => {
    const { sealed } = outcome as { sealed?: SealedSecrets }
    // Earlier versions stored outcomes unsealed.
    if (sealed === undefined || !vault) return outcome as unknown as Outcome
    try {
      return JSON.parse(vault.open({ tenant, owner: `outcome:${key}` }, sealed)['outcome']!) as Outcome
    } catch (cause) {
      throw fail(
        'unavailable',
        'The stored outcome of this Idempotency-Key does not open with the master keys that are here. Nothing was sent now. Look at the provider for what was done.',
        { cause, retryable: false },
      )
    }
  }
  return { toStored, fromStored }
}
