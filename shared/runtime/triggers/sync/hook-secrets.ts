import { randomBytes } from 'node:crypto'
import { isFailure } from '#kit'
import type { Hook, SealedSecrets, Vault } from '../../ports/index.ts'

/** `pending`: stored, but not known to have reached the provider; until it has, the provider signs with `current`. */
type Plain = { current?: string; pending?: string; previous?: string }

const secretBytes = 32

export type HookSecrets = ReturnType<typeof createHookSecrets>

/** The signing secrets that we generate, one per hook, for providers that accept them. */
export const createHookSecrets = (vault: Pick<Vault, 'seal' | 'open'>) => {
  const scopeOf = ({ tenant, id }: Pick<Hook, 'tenant' | 'id'>) => ({ tenant, owner: id })
  const open = (hook: Hook): Plain => {
    try {
      return vault.open(scopeOf(hook), hook.secrets)
    } catch (thrown) {
      // Sealed under a master key that is lost: deliveries are then refused, and the hook gets another secret.
      if (isFailure(thrown)) return {}
      throw thrown
    }
  }
  const seal = (hook: Pick<Hook, 'tenant' | 'id'>, plain: Plain): SealedSecrets => vault.seal(scopeOf(hook), plain)
  const fresh = () => randomBytes(secretBytes).toString('hex')

  return {
    /** The secrets that deliveries may be signed with; two at most. */
    valid(hook: Hook): string[] {
      const { current, pending, previous } = open(hook)
      return [current, pending ?? previous].filter((secret) => secret !== undefined)
    },
    /** The secret that the provider should sign with from now on; undefined when there is none yet. */
    wantedSecret(hook: Hook): string | undefined {
      const { current, pending } = open(hook)
      return pending ?? current
    },
    first: (hook: Pick<Hook, 'tenant' | 'id'>): SealedSecrets => seal(hook, { current: fresh() }),
    /**
     * Adds a new pending secret. When the last one may not have reached the provider, that one is used again: with a
     * second unknown secret, the one it signs with would no longer be accepted.
     */
    renewed(hook: Hook): SealedSecrets {
      const { current, pending } = open(hook)
      return current === undefined
        ? seal(hook, { current: fresh() })
        : seal(hook, { current, pending: pending ?? fresh() })
    },
    /**
     * The provider has the pending secret; the one before stays valid for deliveries in progress. Undefined when
     * nothing changes.
     */
    reached(hook: Hook): SealedSecrets | undefined {
      const { current, pending } = open(hook)
      return pending === undefined
        ? undefined
        : seal(hook, { current: pending, ...(current === undefined ? {} : { previous: current }) })
    },
  }
}
